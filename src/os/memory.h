#pragma once

#include <cstddef>

namespace outpost::os {

/// Fresh zeroed pages that take memory only where they are touched; null when the kernel refuses. `bytes` is a multiple
/// of the page size.
std::byte* map_memory(std::size_t bytes);
/// The same pages, grown or cut to `bytes`, perhaps in another place; null (and nothing changed) when the kernel
/// refuses.
std::byte* remap_memory(std::byte* memory, std::size_t bytes_before, std::size_t bytes);
/// Gives whole pages their memory at once, as touching each would; where the kernel can't, touching them still does.
void populate_memory(std::byte* memory, std::size_t bytes);
void unmap_memory(std::byte* memory, std::size_t bytes);

}  // namespace outpost::os
