// Loads and stores of 1 to 16 bytes as one instruction, with a hint to the caches, and the split of an array into the part
// that such loads may touch and what is left at its ends.
#pragma once

namespace gktune {

// Hints for the caches: none; the line is not used again; bypass the first level.
enum class Hint { plain, streaming, bypass_l1 };

template <int kBytes>
struct WordOf;
template <>
struct WordOf<1> { using Type = unsigned char; };
template <>
struct WordOf<2> { using Type = unsigned short; };
template <>
struct WordOf<4> { using Type = unsigned int; };
template <>
struct WordOf<8> { using Type = uint2; };
template <>
struct WordOf<16> { using Type = uint4; };

template <Hint kHint, class Word>
__device__ inline Word load_word(const Word* address) {
  if constexpr (kHint == Hint::streaming) return __ldcs(address);
  if constexpr (kHint == Hint::bypass_l1) return __ldcg(address);
  return *address;
}

// kWidth elements side by side, loaded at once.
template <class Element, int kWidth>
struct alignas(sizeof(Element) * kWidth) Pack {
  Element at[kWidth];
};

// The address must be a multiple of the pack's size.
template <Hint kHint, int kWidth, class Element>
__device__ inline Pack<Element, kWidth> load_pack(const Element* address) {
  using Word = typename WordOf<sizeof(Element) * kWidth>::Type;
  union {
    Word word;
    Pack<Element, kWidth> pack;
  } both;
  both.word = load_word<kHint>(reinterpret_cast<const Word*>(address));
  return both.pack;
}

// The same for a store.
template <Hint kHint, int kWidth, class Element>
__device__ inline void store_pack(Element* address, Pack<Element, kWidth> pack) {
  using Word = typename WordOf<sizeof(Element) * kWidth>::Type;
  union {
    Pack<Element, kWidth> pack;
    Word word;
  } both;
  both.pack = pack;
  Word* words = reinterpret_cast<Word*>(address);
  if constexpr (kHint == Hint::streaming) {
    __stcs(words, both.word);
  } else if constexpr (kHint == Hint::bypass_l1) {
    __stcg(words, both.word);
  } else {
    __stwb(words, both.word);  // not an assignment: the compiler may take that apart
  }
}

// An array as a few elements before the first aligned pack, whole packs, and a few elements after the last.
template <class Element, int kWidth>
struct Split {
  long long before, packs, after;  // elements, packs, elements

  __device__ Split(const Element* begin, long long count) {
    constexpr unsigned long long kPackBytes = sizeof(Element) * kWidth;
    unsigned long long past = reinterpret_cast<unsigned long long>(begin) % kPackBytes;
    before = past == 0 ? 0 : static_cast<long long>((kPackBytes - past) / sizeof(Element));
    if (before > count) before = count;
    packs = (count - before) / kWidth;
    after = count - before - packs * kWidth;
  }
};

}  // namespace gktune
