#include <cstdint>
#include <cstdlib>
#include <string>

#include "wire/codec.h"
#include "wire/json_parser.h"
#include "wire/protocol/cancel.h"
#include "wire/protocol/files.h"
#include "wire/protocol/http.h"
#include "wire/protocol/process.h"
#include "wire/protocol/session.h"

/// What decodes is written in a form that decodes again to the same.
template <class T>
void check(outpost::wire::JsonView view) {
  auto value = outpost::wire::decode<T>(view);
  if (!value) return;
  std::string written, again;
  outpost::wire::encode(written, *value);
  outpost::wire::JsonDocument document;
  if (!outpost::wire::parse_json(written, document)) std::abort();
  value = outpost::wire::decode<T>(document.root());
  if (!value) std::abort();
  outpost::wire::encode(again, *value);
  if (again != written) std::abort();
}
template <class... T>
void check_all(outpost::wire::JsonView view) {
  (check<T>(view), ...);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outpost::wire;
  JsonDocument document;
  if (!parse_json({reinterpret_cast<const char*>(data), size}, document)) return 0;
  check_all<NoParams, InitializeParams, InitializeResult, EnvironmentInfo, StartParams, StartResult, ReadParams,
            ReadResult, WriteParams, WriteResult, SignalParams, TerminateParams, TerminateResult, GetMetadataParams,
            GetMetadataResult, HttpRequestParams, OutputEvent, ExitedEvent, ClosedEvent, ReadFileParams,
            WriteFileParams, CreateDirectoryParams, CanonicalizeParams, ReadDirectoryParams, ReadDirectoryResult,
            WalkParams, WalkResult, RemoveParams, CopyParams, OpenParams, OpenResult, ReadBlockParams, WriteBlockParams,
            CloseParams, WatchMissingParams, RenameParams, DigestParams, DigestResult, SetMetadataParams,
            ReadDirectoryFullParams, ReadDirectoryFullResult, CancelParams>(document.root());
  return 0;
}
