#include "wire/protocol/environment_config.h"

#include <gtest/gtest.h>

#include <string>

#include "wire/codec.h"
#include "wire/json_parser.h"

namespace outpost::wire {
namespace {

std::string told(const std::string& json) {
  JsonDocument document;
  if (!parse_json(json, document)) return "no JSON";
  const auto params = decode<EnvironmentConfigParams>(document.root());
  return params ? "" : params.error().message;
}

TEST(EnvironmentConfigParams, AreAllRequiredInTheirOrder) {
  EXPECT_EQ(told("{}"), "missing field `cwd`");
  EXPECT_EQ(told(R"({"cwd":"file:///"})"), "missing field `configPaths`");
  EXPECT_EQ(told(R"({"cwd":"file:///","configPaths":[]})"), "missing field `requirementsPaths`");
  EXPECT_EQ(told(R"({"cwd":"file:///","configPaths":[["a","b"]],"requirementsPaths":[[]],"more":1})"), "");
}

TEST(EnvironmentConfigParams, HaveListsOfListsOfTexts) {
  EXPECT_EQ(told(R"({"cwd":"/x","configPaths":[],"requirementsPaths":[]})"),
            "invalid URI: relative URL without a base");
  EXPECT_EQ(told(R"({"cwd":"file:///","configPaths":["model"],"requirementsPaths":[]})"),
            R"(invalid type: string "model", expected a sequence)");
  EXPECT_EQ(told(R"({"cwd":"file:///","configPaths":[[1]],"requirementsPaths":[]})"),
            "invalid type: number, expected a string");
}

}  // namespace
}  // namespace outpost::wire
