#include <cmath>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "tensor/float16.hpp"
#include "tensor/npy.hpp"
#include "tensor/safetensors.hpp"

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string file_of(const std::string& header, const std::string& data) {
  const std::uint64_t size = header.size();
  std::string file(sizeof size, '\0');
  std::memcpy(file.data(), &size, sizeof size);
  return file + header + data;
}

std::string bytes_of(std::initializer_list<float> values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

TEST(Safetensors, reads_float32_float16_and_bfloat16) {
  const std::string header =
      R"({"__metadata__":{"a":"b"},"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("h":{"dtype":"F16","shape":[1],"data_offsets":[8,10]},"b":{"dtype":"BF16","shape":[1],"data_offsets":[10,12]}})";
  const auto tensors =
      read_safetensors(file_of(header, bytes_of({1.5F, -2.0F}) + std::string("\x00\x3c\xc0\x3f", 4)), "f");
  EXPECT_THAT(tensors.at("x").view<float>(), ElementsAre(1.5F, -2.0F));
  EXPECT_THAT(tensors.at("h").view<float>(), ElementsAre(1.0F));
  EXPECT_THAT(tensors.at("b").view<float>(), ElementsAre(1.5F));
}

TEST(Safetensors, refuses_what_contradicts_itself) {
  const auto refused = [](const std::string& entry) {
    return error_of(
        [&] { (void)read_safetensors(file_of("{\"x\":" + entry + "}", bytes_of({1, 2})), "w.safetensors"); });
  };
  EXPECT_THAT(refused(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})"), HasSubstr("contradict"));
  EXPECT_THAT(refused(R"({"dtype":"F32","shape":[2],"data_offsets":[0,80]})"), HasSubstr("outside the file"));
  EXPECT_THAT(refused(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), HasSubstr("outside the file"));
  EXPECT_THAT(refused(R"({"dtype":"I8","shape":[2],"data_offsets":[0,2]})"), HasSubstr("I8"));
  EXPECT_THAT(refused(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"), HasSubstr("impossible"));
  EXPECT_THAT(refused(R"({"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]})"),
              HasSubstr("impossible"));
  EXPECT_THAT(refused(R"([])"), HasSubstr("w.safetensors: x"));
}

TEST(Safetensors, refuses_every_cut_of_a_file) {
  const std::string whole = file_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", bytes_of({1, 2}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(error_of([&] { (void)read_safetensors(whole.substr(0, size), "f"); }), StartsWith("InvalidModel: "))
        << size;
  }
}

class Npy : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("x.npy");
};

TEST_F(Npy, reads_what_it_wrote) {
  for (const FloatTensor& tensor : {FloatTensor{{2, 3}, {1, 2, 3, 4, 5, 6}}, FloatTensor{{3}, {1, 2, 3}},
                                    FloatTensor{{}, {7}}, FloatTensor{{0, 4}, {}}}) {
    write_npy(path_, tensor);
    const FloatTensor read = read_npy(path_);
    EXPECT_EQ(read.shape, tensor.shape);
    EXPECT_EQ(read.values, tensor.values);
  }
}

TEST_F(Npy, aligns_its_header_as_numpy_does) {
  write_npy(path_, {{1}, {1}});
  const std::string bytes = read_file(path_);
  EXPECT_EQ((bytes.size() - sizeof(float)) % 64, 0U);
  EXPECT_THAT(bytes, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (1, ), }"));
}

TEST_F(Npy, refuses_cut_files_and_other_types) {
  write_npy(path_, {{2}, {1, 2}});
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 1);
  EXPECT_THAT(error_of([&] { (void)read_npy(path_); }), HasSubstr("another size"));
  write_file(path_, "no array");
  EXPECT_THAT(error_of([&] { (void)read_npy(path_); }), HasSubstr("is no .npy file"));
  EXPECT_THAT(error_of([&] { (void)read_npy("/nowhere/x.npy"); }), StartsWith("NotFound: "));
}

TEST_F(Npy, leaves_nothing_behind_when_it_cannot_write) {
  EXPECT_THAT(error_of([&] { write_npy("/nowhere/x.npy", {{1}, {1}}); }), StartsWith("Unavailable: "));
}

TEST(Float16, widens_every_kind_of_number) {
  EXPECT_EQ(float_of_half(0x3C00), 1.0F);
  EXPECT_EQ(float_of_half(0xC000), -2.0F);
  EXPECT_EQ(float_of_half(0x7BFF), 65504.0F);
  EXPECT_EQ(float_of_half(0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(float_of_half(0x83FF), -std::ldexp(1023.0F, -24));
  EXPECT_TRUE(std::isinf(float_of_half(0x7C00)));
  EXPECT_TRUE(std::isnan(float_of_half(0x7E00)));
  EXPECT_TRUE(std::signbit(float_of_half(0x8000)));
}

}  // namespace
}  // namespace transmuter
