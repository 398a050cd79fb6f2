#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "wire/request_id.h"

namespace outpost::wire {

// The answers that carry contents of files, written straight into the outgoing buffer as those of `process_events.h`.

/// fs/readFile.
std::size_t file_answer_size(const RequestId& id, std::size_t file_bytes);
char* write_file_answer(char* out, const RequestId& id, ByteView bytes);

/// fs/readBlock.
std::size_t block_answer_size(const RequestId& id, std::size_t block_bytes, bool eof);
char* write_block_answer(char* out, const RequestId& id, ByteView bytes, bool eof);

}  // namespace outpost::wire
