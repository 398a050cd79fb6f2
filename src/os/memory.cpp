#include "os/memory.h"

#include <sys/mman.h>

namespace outpost::os {

namespace {
std::byte* bytes_of(void* mapped) {
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}
}  // namespace

std::byte* map_memory(std::size_t bytes) {
  return bytes_of(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

std::byte* remap_memory(std::byte* memory, std::size_t bytes_before, std::size_t bytes) {
  return bytes_of(::mremap(memory, bytes_before, bytes, MREMAP_MAYMOVE));
}

void populate_memory(std::byte* memory, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE  // Linux 5.14
  ::madvise(memory, bytes, MADV_POPULATE_WRITE);
#else
  constexpr int populate_write = 23;  // fixed by the kernel's interface
  ::madvise(memory, bytes, populate_write);
#endif
}

void unmap_memory(std::byte* memory, std::size_t bytes) {
  ::munmap(memory, bytes);
}

}  // namespace outpost::os
