#include "wire/file_answers.h"

#include <string_view>

#include "base/base64.h"
#include "wire/json_writer.h"

namespace outpost::wire {

namespace {

constexpr std::string_view id_head = R"({"id":)";
constexpr std::string_view file_head = R"(,"result":{"dataBase64":")";
constexpr std::string_view file_end = R"("}})";
constexpr std::string_view block_head = R"(,"result":{"chunk":")";
constexpr std::string_view last_block_end = R"(","eof":true}})";
constexpr std::string_view block_end = R"(","eof":false}})";

std::size_t size_of(const RequestId& id, std::string_view head, std::size_t bytes, std::string_view end) {
  return id_head.size() + id.json_size() + head.size() + base64::encoded_size(bytes) + end.size();
}

char* write(char* out, const RequestId& id, std::string_view head, ByteView bytes, std::string_view end) {
  out = write_raw(out, id_head);
  out = id.write_json(out);
  out = write_raw(out, head);
  base64::encode(bytes, out);
  return write_raw(out + base64::encoded_size(bytes.size()), end);
}

}  // namespace

std::size_t file_answer_size(const RequestId& id, std::size_t file_bytes) {
  return size_of(id, file_head, file_bytes, file_end);
}

char* write_file_answer(char* out, const RequestId& id, ByteView bytes) {
  return write(out, id, file_head, bytes, file_end);
}

std::size_t block_answer_size(const RequestId& id, std::size_t block_bytes, bool eof) {
  return size_of(id, block_head, block_bytes, eof ? last_block_end : block_end);
}

char* write_block_answer(char* out, const RequestId& id, ByteView bytes, bool eof) {
  return write(out, id, block_head, bytes, eof ? last_block_end : block_end);
}

}  // namespace outpost::wire
