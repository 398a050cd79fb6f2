#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "wire/json_document.h"

namespace outpost::wire {

/// The code of an error on the wire (processes-and-sessions 1.2, filesystem 2, extensions 1.7). No other place knows
/// these numbers.
int error_code(const Error& error);

/// What `error.data.kind` says; empty: the error has no data. `Error::data_kind` goes before what the kind implies.
std::string_view error_data_kind(const Error& error);

/// An error that the other side answered, as a value: of a kind that `error_code` maps back to the same code where the
/// code, `data.kind` and the texts of the specification tell it, else `ErrorKind::remote` with the code in
/// `remote_code` (a code beyond the range of int becomes that of an internal error). `data` may be absent.
Error error_from_wire(std::int64_t code, std::string_view message, JsonView data);

}  // namespace outpost::wire
