#include "db/answers/device_figures.h"

#include <utility>

namespace gktune {
namespace {

using Info = DeviceInfo;

constexpr std::pair<const char*, std::int64_t Info::*> kNumbers[] = {
    {"warp_size", &Info::warp_size},
    {"max_threads_per_block", &Info::max_threads_per_block},
    {"max_block_x", &Info::max_block_x},
    {"max_block_y", &Info::max_block_y},
    {"max_block_z", &Info::max_block_z},
    {"max_grid_x", &Info::max_grid_x},
    {"max_grid_y", &Info::max_grid_y},
    {"max_grid_z", &Info::max_grid_z},
    {"max_threads_per_multiprocessor", &Info::max_threads_per_multiprocessor},
    {"max_blocks_per_multiprocessor", &Info::max_blocks_per_multiprocessor},
    {"shared_bytes_per_block", &Info::shared_bytes_per_block},
    {"shared_bytes_per_block_optin", &Info::shared_bytes_per_block_optin},
    {"shared_bytes_per_multiprocessor", &Info::shared_bytes_per_multiprocessor},
    {"registers_per_block", &Info::registers_per_block},
    {"registers_per_multiprocessor", &Info::registers_per_multiprocessor},
    {"constant_bytes", &Info::constant_bytes},
    {"l2_bytes", &Info::l2_bytes},
    {"memory_bytes", &Info::memory_bytes},
    {"clock_khz", &Info::clock_khz},
    {"memory_clock_khz", &Info::memory_clock_khz},
    {"memory_bus_bits", &Info::memory_bus_bits},
};

constexpr std::pair<const char*, bool Info::*> kSwitches[] = {{"ecc", &Info::ecc}, {"mig", &Info::mig}};

}  // namespace

NamedValues figures_of(const DeviceInfo& device) {
  NamedValues figures;
  for (auto [name, number] : kNumbers) figures.set(name, device.*number);
  for (auto [name, is_on] : kSwitches) figures.set(name, device.*is_on);
  return figures;
}

void set_figures(DeviceInfo& device, const NamedValues& figures) {
  for (auto [name, number] : kNumbers) {
    const Value* value = figures.find(name);
    if (value != nullptr && value->is_integer()) device.*number = value->integer();
  }
  for (auto [name, is_on] : kSwitches) {
    const Value* value = figures.find(name);
    if (value != nullptr && value->is_boolean()) device.*is_on = value->boolean();
  }
}

DeviceInfo device_info(const DeviceIdentity& identity, const NamedValues& figures) {
  DeviceInfo device;
  device.kind = identity.kind;
  device.name = identity.name;
  device.architecture = identity.architecture;
  device.multiprocessors = identity.multiprocessors;
  set_figures(device, figures);
  return device;
}

}  // namespace gktune
