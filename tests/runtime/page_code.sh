# Code blocks of documents as sources.

# page_blocks PAGE LANGUAGE: the blocks of this language, each in the scope of those before it.
page_blocks() {
  awk -v fence="\`\`\`$2" '
    { line = $0; sub(/^ +/, "", line) }
    line == "```" && on { on = 0; next }
    on { print; next }
    line == fence { on = 1; if (fence != "```cmake") { print "{"; ++depth } }
    END { while (depth-- > 0) print "}" }' "$1"
}

# page_source PAGE LANGUAGE: a source that compiles if the code of the page does.
page_source() {
  echo '#include "page.h"'
  page_blocks "$1" "$2" | grep -E '^ *#include' || true
  echo 'int page(const float* in, float* out, void* stream, int64_t n) {'
  echo '(void)in, (void)out, (void)stream, (void)n;'
  page_blocks "$1" "$2" | grep -vE '^ *#include' || true
  echo 'return 0;'
  echo '}'
}
