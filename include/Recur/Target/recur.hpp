// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- recur.hpp - compiled models in C++ -----------------------*- C++ -*-===//
//
// C++14 or later, of the standard library alone. Include the header of a model first; it has the C interface, and its
// contract.
//
//   #include "speech.h"
//   #include "recur.hpp"
//
//   recur::Model speech(speech_entry_points());
//   speech.run({x, h, c});                                 // contiguous ranges of the model's element types
//   recur::Span<const float> y = speech.output<float>("Y"); // or output<float>(0)
//
// `Span`, `Optional` and `Byte` are std::span from C++20, and std::optional and std::byte from C++17; before that they
// are classes of this file with the same basic members.
//
// A function that can fail has two forms. `run` throws a recur::Error, and exists only if exceptions are on. `try_run`
// returns a Result: std::expected<T, Error> if the standard library has it, else a class with the same basic members.
// The library throws nothing else, and `try_` forms throw nothing: without memory they return RECUR_E_NOMEM.
//
// The names are like those of the C interface and of the standard library, because programs of users have both.
//
// A Model is for one thread at a time. Several Models of the same functions may run at the same time. One with a gang
// finds out whether threads make its calls faster (recur_tuner.h).
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_HPP
#define RECUR_HPP

#if !defined(RECUR_ABI_V1) && __has_include("Recur/Target/EntryPoints.h")
#include "Recur/Target/EntryPoints.h"
#endif

// After an error nothing else of this file is read, which would only lead to more of them.
#if __cplusplus < 201402L
#error "recur.hpp needs C++14: compile with -std=c++14"
#elif !defined(RECUR_ABI_V1)
#error "include the header of a model before recur.hpp"
#else

#include "recur_tuner.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#if __cplusplus >= 201703L
#include <optional>
#include <string_view>
#endif
/* GCC 10 calls C++20 201709. */
#if __cplusplus >= 201709L
#define RECUR_HPP_HAS_CONCEPTS 1
#include <concepts>
#include <ranges>
#include <span>
#include <version>
#endif
#ifdef __cpp_lib_expected
#include <expected>
#endif
#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif

/* Files that are compiled with other options may be linked together, so what differs has a name of its own. */
#ifdef __cpp_exceptions
#define RECUR_HPP_THROWS v1_throws
#else
#define RECUR_HPP_THROWS v1_plain
#endif
#define RECUR_HPP_JOIN(a, b) a##b
#define RECUR_HPP_NAME(a, b) RECUR_HPP_JOIN(a, b)
#if defined(__cpp_lib_expected)
#define RECUR_HPP_VARIANT RECUR_HPP_NAME(RECUR_HPP_THROWS, _expected)
#elif defined(RECUR_HPP_HAS_CONCEPTS)
#define RECUR_HPP_VARIANT RECUR_HPP_THROWS
#elif __cplusplus >= 201703L
#define RECUR_HPP_VARIANT RECUR_HPP_NAME(RECUR_HPP_THROWS, _17)
#else
#define RECUR_HPP_VARIANT RECUR_HPP_NAME(RECUR_HPP_THROWS, _14)
#endif

/* What a template takes: a concept where the compiler has concepts. */
#ifdef RECUR_HPP_HAS_CONCEPTS
#define RECUR_HPP_ELEMENT Element
#define RECUR_HPP_RANGE(R) ElementRange R
#else
#define RECUR_HPP_ELEMENT class
#define RECUR_HPP_RANGE(R) class R, std::enable_if_t<detail::IsElementRange<R>::value, int> = 0
#endif
#if __cplusplus >= 201703L
#define RECUR_HPP_NODISCARD [[nodiscard]]
#else
#define RECUR_HPP_NODISCARD
#endif

namespace recur {
inline namespace RECUR_HPP_VARIANT {

/// The bits of floats that C++20 has no types for. `_Float16` is an element type too where the compiler has it.
enum class f16 : uint16_t {};
enum class bf16 : uint16_t {};

namespace detail {

/// Integers count by their size and sign.
template <class T>
constexpr int32_t type_of_integer() {
  return sizeof(T) == 1   ? (std::is_signed<T>::value ? RECUR_I8 : RECUR_U8)
         : sizeof(T) == 2 ? (std::is_signed<T>::value ? RECUR_I16 : RECUR_U16)
         : sizeof(T) == 4 ? (std::is_signed<T>::value ? RECUR_I32 : RECUR_U32)
         : sizeof(T) == 8 ? (std::is_signed<T>::value ? RECUR_I64 : RECUR_U64)
                          : 0;
}

template <int32_t type>
using TypeIs = std::integral_constant<int32_t, type>;
template <class T, bool isInteger = std::is_integral<T>::value>
struct ElementTypeOf : TypeIs<0> {};
template <class T>
struct ElementTypeOf<T, true> : TypeIs<type_of_integer<T>()> {};
template <>
struct ElementTypeOf<bool, true> : TypeIs<RECUR_BOOLEAN> {};
template <>
struct ElementTypeOf<float, false> : TypeIs<RECUR_F32> {};
template <>
struct ElementTypeOf<double, false> : TypeIs<RECUR_F64> {};
template <>
struct ElementTypeOf<f16, false> : TypeIs<RECUR_F16> {};
template <>
struct ElementTypeOf<bf16, false> : TypeIs<RECUR_BF16> {};
#ifdef __FLT16_MANT_DIG__
template <>
struct ElementTypeOf<_Float16, false> : TypeIs<RECUR_F16> {};
#endif
/* Characters are no numbers. */
template <>
struct ElementTypeOf<char, true> : TypeIs<0> {};
template <>
struct ElementTypeOf<wchar_t, true> : TypeIs<0> {};
#ifdef __cpp_char8_t
template <>
struct ElementTypeOf<char8_t, true> : TypeIs<0> {};
#endif
template <>
struct ElementTypeOf<char16_t, true> : TypeIs<0> {};
template <>
struct ElementTypeOf<char32_t, true> : TypeIs<0> {};

} // namespace detail

/// The recur_element_type of a C++ type, or 0 if there is none. Integers count by their size and sign.
template <class T>
constexpr int32_t element_type_of() {
  return detail::ElementTypeOf<T>::value;
}

#ifdef RECUR_HPP_HAS_CONCEPTS
/// A type of elements of tensors.
template <class T>
concept Element = element_type_of<std::remove_const_t<T>>() != 0;

/// Contiguous elements that are in memory: a vector, an array, a span, ...
template <class R>
concept ElementRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                       Element<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

template <class T>
using Span = std::span<T>;

namespace detail {
template <class R>
auto data_of(R &&range) noexcept {
  return std::ranges::data(range);
}
template <class R>
size_t size_of(R &&range) noexcept {
  return std::ranges::size(range);
}
} // namespace detail
#else
namespace detail {
/* What std::data and std::size are, from C++17. */
template <class R>
auto data_of(R &range) noexcept -> decltype(range.data()) {
  return range.data();
}
template <class T, size_t size>
T *data_of(T (&array)[size]) noexcept {
  return array;
}
template <class T>
const T *data_of(std::initializer_list<T> list) noexcept {
  return list.begin();
}
template <class R>
auto size_of(const R &range) noexcept -> decltype(static_cast<size_t>(range.size())) {
  return static_cast<size_t>(range.size());
}
template <class T, size_t size>
size_t size_of(const T (&)[size]) noexcept {
  return size;
}

template <class...>
using Void = void;
/// The type of the elements of a contiguous range, with const if they are; void for what is none.
template <class R, class = void>
struct ElementOf {
  using type = void;
};
template <class R>
struct ElementOf<
    R, Void<std::enable_if_t<std::is_pointer<decltype(data_of(std::declval<std::remove_reference_t<R> &>()))>::value>,
            decltype(size_of(std::declval<const std::remove_reference_t<R> &>()))>> {
  using type = std::remove_pointer_t<decltype(data_of(std::declval<std::remove_reference_t<R> &>()))>;
};
template <class R>
struct IsElementRange
    : std::integral_constant<bool, ElementTypeOf<std::remove_cv_t<typename ElementOf<R>::type>>::value != 0> {};
} // namespace detail

/// Elements that belong to somebody else: the part of std::span that this file needs, which it is from C++20.
template <class T>
class Span {
public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr Span() noexcept = default;
  constexpr Span(T *data, size_t size) noexcept : data_(data), size_(size) {}
  /// Contiguous elements of this type: a vector, an array, a View, ...
  template <class R, std::enable_if_t<std::is_convertible<typename detail::ElementOf<R>::type (*)[], T (*)[]>::value &&
                                          !std::is_same<std::decay_t<R>, Span>::value,
                                      int> = 0>
  constexpr Span(R &&range) noexcept : data_(detail::data_of(range)), size_(detail::size_of(range)) {}

  constexpr T *data() const noexcept { return data_; }
  constexpr size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T *begin() const noexcept { return data_; }
  constexpr T *end() const noexcept { return data_ + size_; }
  constexpr T &operator[](size_t index) const noexcept { return data_[index]; }
  constexpr T &front() const noexcept { return *data_; }
  constexpr T &back() const noexcept { return data_[size_ - 1]; }
  /// The first elements, the last ones, or some from a place on; so many must be there.
  constexpr Span first(size_t count) const noexcept { return {data_, count}; }
  constexpr Span last(size_t count) const noexcept { return {data_ + (size_ - count), count}; }
  constexpr Span subspan(size_t start, size_t count) const noexcept { return {data_ + start, count}; }

private:
  T *data_ = nullptr;
  size_t size_ = 0;
};
#endif

#if __cplusplus >= 201703L
template <class T>
using Optional = std::optional<T>;
using Byte = std::byte;
#else
using Byte = unsigned char;

/// A value or nothing: the part of std::optional that this file needs, which it is from C++17.
template <class T>
class Optional {
public:
  Optional() noexcept {}
  Optional(T value) noexcept { set(std::move(value)); }
  Optional(Optional &&other) noexcept {
    if (other.hasValue_)
      set(std::move(*other));
  }
  Optional(const Optional &other) noexcept {
    if (other.hasValue_)
      set(*other);
  }
  Optional &operator=(Optional other) noexcept {
    clear();
    if (other.hasValue_)
      set(std::move(*other));
    return *this;
  }
  ~Optional() { clear(); }

  bool has_value() const noexcept { return hasValue_; }
  explicit operator bool() const noexcept { return hasValue_; }
  /// The value, which must be there.
  T &operator*() noexcept { return value_; }
  const T &operator*() const noexcept { return value_; }
  T *operator->() noexcept { return &value_; }
  const T *operator->() const noexcept { return &value_; }

private:
  template <class U>
  void set(U &&value) noexcept {
    new (static_cast<void *>(&value_)) T(std::forward<U>(value));
    hasValue_ = true;
  }
  void clear() noexcept {
    if (hasValue_)
      value_.~T();
    hasValue_ = false;
  }

  union {
    T value_; /* lives if hasValue_ */
  };
  bool hasValue_ = false;
};
#endif

/// The name of a recur_element_type, as messages have it.
constexpr const char *element_type_name(int32_t type) {
  constexpr const char *names[] = {"unknown", "boolean", "i8",  "i16", "i32",  "i64", "u8",
                                   "u16",     "u32",     "u64", "f16", "bf16", "f32", "f64"};
  return names[type >= RECUR_BOOLEAN && type <= RECUR_F64 ? type : 0];
}

/// The greatest rank of a tensor that these classes take.
constexpr size_t max_rank = 16;

/// An Error says what went wrong: it holds a recur_error, whose message is one line.
class Error : public std::exception {
public:
  Error() noexcept { fields_.size = sizeof(fields_); }
  explicit Error(const recur_error &fields) noexcept : fields_(fields) {}

  /// The recur_status.
  int32_t status() const noexcept { return fields_.code; }
  /// The message.
  const char *what() const noexcept override { return fields_.message; }
  /// The place, the index of the tensor, and the numbers of the message.
  const recur_error &fields() const noexcept { return fields_; }

private:
  recur_error fields_{};
};

#ifdef __cpp_lib_expected
template <class T>
using Result = std::expected<T, Error>;
using Failure = std::unexpected<Error>;
#else
/// An Error on the way into a Result.
struct Failure {
  explicit Failure(const Error &error) noexcept : reason(error) {}
  Error reason;
};

/// A value or an Error: the part of std::expected that works without exceptions.
template <class T>
class RECUR_HPP_NODISCARD Result {
public:
  Result(T value) noexcept : value_(std::move(value)) {}
  Result(const Failure &failure) noexcept : error_(failure.reason) {}

  bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  /// The value, which must be there.
  T &operator*() noexcept { return *value_; }
  const T &operator*() const noexcept { return *value_; }
  T *operator->() noexcept { return &*value_; }
  const T *operator->() const noexcept { return &*value_; }
  /// The error, if there is no value.
  const Error &error() const noexcept { return error_; }

private:
  Optional<T> value_;
  Error error_;
};

template <>
class RECUR_HPP_NODISCARD Result<void> {
public:
  Result() noexcept = default;
  Result(const Failure &failure) noexcept : error_(failure.reason), hasValue_(false) {}

  bool has_value() const noexcept { return hasValue_; }
  explicit operator bool() const noexcept { return hasValue_; }
  const Error &error() const noexcept { return error_; }

private:
  Error error_;
  bool hasValue_ = true;
};
#endif

namespace detail {

#ifdef __cpp_exceptions
template <class T>
T value_of(Result<T> result) {
  if (!result)
    throw result.error();
  return std::move(*result);
}
inline void value_of(const Result<void> &result) {
  if (!result)
    throw result.error();
}
#endif

/// Makes an error about a tensor; `info` has its name. Without a tensor, `index` is -1, and `info` null.
#ifdef __GNUC__
__attribute__((format(printf, 5, 6)))
#endif
inline Failure fail(int32_t status, recur_place where, int32_t index, const recur_tensor_info *info, const char *format,
                    ...) noexcept {
  constexpr const char *kinds[] = {"", "input", "output", "workspace", "state"};
  recur_error error{};
  error.size = sizeof(error);
  error.code = status;
  error.where = where;
  error.tensor = index;
  error.axis = -1;
  int used = 0;
  if (info)
    used = std::snprintf(error.message, sizeof(error.message), "%s %d '%.96s': ", kinds[where], static_cast<int>(index),
                         info->name);
  size_t start = static_cast<size_t>(std::max(used, 0));
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(error.message + start, sizeof(error.message) - start, format, values);
  va_end(values);
  return Failure(Error(error));
}

/// Memory aligned to RECUR_ALIGNMENT.
class Block {
public:
  Block() noexcept = default;
  /// Takes `bytes` bytes. The block is empty if there is no memory.
  explicit Block(size_t bytes) noexcept : data_(allocate(bytes)), bytes_(data_ ? bytes : 0) {}
  /// Owns memory of `allocate`.
  Block(void *data, size_t bytes) noexcept : data_(data), bytes_(bytes) {}
  Block(Block &&other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Block &operator=(Block &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Block() { release(data_); }

  void *data() const noexcept { return data_; }
  size_t bytes() const noexcept { return bytes_; }
  /// Makes the block at least this large; the content is lost. Returns false if there is no memory.
  bool grow(size_t bytes) noexcept {
    if (data_ && bytes_ >= bytes)
      return true;
    *this = Block(); /* the old memory is free before the new one is taken */
    *this = Block(std::max<size_t>(bytes, 1));
    return data_ != nullptr;
  }

#if __cplusplus >= 201703L
  static void *allocate(size_t bytes) noexcept {
    return ::operator new(bytes, std::align_val_t(RECUR_ALIGNMENT), std::nothrow);
  }
  static void release(void *data) noexcept { ::operator delete(data, std::align_val_t(RECUR_ALIGNMENT)); }
#else
  /* Before C++17, `new` aligns for types of the language alone. In front of the block is what it returned. */
  static void *allocate(size_t bytes) noexcept {
    size_t extra = RECUR_ALIGNMENT + sizeof(void *);
    void *whole =
        bytes <= std::numeric_limits<size_t>::max() - extra ? ::operator new(bytes + extra, std::nothrow) : nullptr;
    if (!whole)
      return nullptr;
    auto place = reinterpret_cast<uintptr_t>(whole) + extra;
    void *data = reinterpret_cast<void *>(place - place % RECUR_ALIGNMENT);
    static_cast<void **>(data)[-1] = whole;
    return data;
  }
  static void release(void *data) noexcept {
    if (data)
      ::operator delete(static_cast<void **>(data)[-1]);
  }
#endif

private:
  void *data_ = nullptr;
  size_t bytes_ = 0;
};

/// An array whose length is fixed when it is made; empty if there is no memory.
template <class T>
std::unique_ptr<T[]> make_array(int32_t count) noexcept {
  return std::unique_ptr<T[]>(new (std::nothrow) T[static_cast<size_t>(std::max(count, 1))]());
}

} // namespace detail

/// One dim of a shape: any integer.
struct Dim {
  template <class I, std::enable_if_t<std::is_integral<I>::value, int> = 0>
  constexpr Dim(I size) noexcept : value(static_cast<int64_t>(size)) {}
  int64_t value;
};

/// Elements of a tensor and its dims, row-major. Both belong to somebody else. It is a range, so it converts to a Span.
template <RECUR_HPP_ELEMENT T>
struct View {
  Span<T> elements;
  Span<const int64_t> shape;

  T *begin() const noexcept { return elements.data(); }
  T *end() const noexcept { return elements.data() + elements.size(); }
  T *data() const noexcept { return elements.data(); }
  size_t size() const noexcept { return elements.size(); }
  T &operator[](size_t index) const noexcept { return elements[index]; }

#ifdef __cpp_lib_mdspan
  /// The same as an mdspan. The status is RECUR_E_SHAPE if the tensor has another rank.
  template <size_t Rank>
  Result<std::mdspan<T, std::dextents<int64_t, Rank>>> try_mdspan() const noexcept {
    if (shape.size() != Rank)
      return detail::fail(RECUR_E_SHAPE, RECUR_IN_CALL, -1, nullptr, "rank is %zu, expected %zu", shape.size(), Rank);
    std::array<int64_t, Rank> dims{};
    std::copy(shape.begin(), shape.end(), dims.begin());
    return std::mdspan<T, std::dextents<int64_t, Rank>>(elements.data(), dims);
  }
#ifdef __cpp_exceptions
  template <size_t Rank>
  auto mdspan() const {
    return detail::value_of(try_mdspan<Rank>());
  }
#endif
#endif
};

} // namespace RECUR_HPP_VARIANT
} // namespace recur

#ifdef RECUR_HPP_HAS_CONCEPTS
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<recur::View<T>> = true;
#endif

namespace recur {
inline namespace RECUR_HPP_VARIANT {

/// A dense row-major tensor of the caller that a model reads. It does not own the elements. Without a shape it has the
/// dims of the model, of which at most one may be dynamic: the number of elements decides it.
class Input {
public:
  template <RECUR_HPP_RANGE(R)>
  Input(const R &elements) noexcept
      : data_(detail::data_of(elements)), count_(detail::size_of(elements)), type_(typeOf(detail::data_of(elements))) {}

  template <RECUR_HPP_RANGE(R)>
  Input(const R &elements, std::initializer_list<Dim> shape) noexcept : Input(elements) {
    setShape(shape, [](Dim dim) { return dim.value; });
  }

  template <RECUR_HPP_RANGE(R), class Shape,
            std::enable_if_t<std::is_convertible<const Shape &, Span<const int64_t>>::value, bool> = true>
  Input(const R &elements, const Shape &shape) noexcept : Input(elements) {
    setShape(Span<const int64_t>(shape), [](int64_t dim) { return dim; });
  }

  template <class T>
  Input(const View<T> &view) noexcept : Input(view.elements, view.shape) {}

#ifdef __cpp_lib_mdspan
  template <RECUR_HPP_ELEMENT T, class Extents>
  Input(const std::mdspan<T, Extents> &tensor) noexcept
      : data_(tensor.data_handle()), count_(tensor.size()), type_(element_type_of<std::remove_const_t<T>>()) {
    std::array<int64_t, Extents::rank()> dims{};
    for (size_t axis = 0; axis < Extents::rank(); ++axis)
      dims[axis] = static_cast<int64_t>(tensor.extent(axis));
    setShape(dims, [](int64_t dim) { return dim; });
  }
#endif

private:
  friend class Model;

  template <class T>
  static constexpr int32_t typeOf(const T *) {
    return element_type_of<T>();
  }
  template <class Shape, class Value>
  void setShape(const Shape &shape, Value value) noexcept {
    hasShape_ = true;
    for (const auto &dim : shape) {
      if (rank_ < max_rank)
        shape_[rank_] = value(dim);
      ++rank_;
    }
  }

  const void *data_;
  size_t count_;
  size_t rank_ = 0; /* more than max_rank: an error when it is bound */
  std::array<int64_t, max_rank> shape_{};
  int32_t type_;
  bool hasShape_ = false;
};

/// A tensor of one element.
template <RECUR_HPP_ELEMENT T>
Input scalar(const T &value) noexcept {
  return Input(Span<const T>(&value, 1));
}

/// Memory of the caller for an output. The model decides the shape, which must fit.
class Output {
public:
  template <
      RECUR_HPP_RANGE(R),
      std::enable_if_t<!std::is_const<std::remove_pointer_t<decltype(detail::data_of(std::declval<R &>()))>>::value,
                       bool> = true>
  Output(R &&elements) noexcept
      : data_(detail::data_of(elements)), bytes_(detail::size_of(elements) * sizeof(*detail::data_of(elements))),
        type_(element_type_of<std::remove_pointer_t<decltype(detail::data_of(elements))>>()) {}

  /// No memory of the caller: a Model takes some.
  Output() noexcept = default;

private:
  friend class Model;
  void *data_ = nullptr; /* null: no memory of the caller */
  size_t bytes_ = 0;
  int32_t type_ = 0;
};

/// An input, output or state, by its index or by its name.
class Key {
public:
  template <class I, std::enable_if_t<std::is_integral<I>::value, int> = 0>
  Key(I index) noexcept : index_(static_cast<int32_t>(index)) {
    if (static_cast<I>(index_) != index || (index_ < 0) != (index < I(0)))
      index_ = -1;
  }
#if __cplusplus >= 201703L
  template <class Name, std::enable_if_t<std::is_convertible<const Name &, std::string_view>::value, int> = 0>
  Key(const Name &name) noexcept : isName_(true) {
    std::string_view text(name);
    name_ = text.data();
    size_ = text.size();
  }
#else
  Key(const char *name) noexcept : name_(name), size_(std::strlen(name)), isName_(true) {}
  template <class Name,
            std::enable_if_t<std::is_same<typename detail::ElementOf<const Name>::type, const char>::value &&
                                 !std::is_array<Name>::value,
                             int> = 0>
  Key(const Name &name) noexcept : name_(name.data()), size_(name.size()), isName_(true) {}
#endif

private:
  friend class Model;
  const char *name_ = "";
  size_t size_ = 0;
  int32_t index_ = -1;
  bool isName_ = false;
};

/// Limits of one call, as recur_options has them. The default is none.
struct Limits {
  int64_t max_iterations = 0;
  int64_t max_bytes = 0;
  const volatile int32_t *cancel = nullptr;
};

/// The worker callback of a recur_config. recur_gang.hpp makes some.
struct Gang {
  void (*run)(void *context, int32_t want, recur_body body, void *arg) = nullptr;
  void *context = nullptr;
};

/// Makes a configuration of an instance. `weights` may be empty: those in the object file.
inline recur_config make_config(Gang gang = {}, uint32_t flags = 0, Span<const Byte> weights = {}) noexcept {
  return {sizeof(recur_config), flags, weights.data(), weights.size(), gang.run, gang.context};
}

#ifdef RECUR_MAP_WEIGHTS_V1
/// The file of weights of a model that was compiled with --weights-mode=file, mapped and checked (recur_map_weights).
///
///   recur::MappedWeights weights(*speech_info(), speech_weights_file);
///   recur::Model speech(speech_entry_points(), recur::make_config({}, 0, weights.bytes()));
class MappedWeights {
public:
  /// Maps the file `path`. Errors: those of recur_map_weights.
  static Result<MappedWeights> try_map(const recur_info &info, const char *path) noexcept {
    MappedWeights weights;
    recur_error error{};
    error.size = sizeof(error);
    if (recur_map_weights(&info, path, &weights.config_, &error))
      return Failure(Error(error));
    return Result<MappedWeights>(std::move(weights));
  }
#ifdef __cpp_exceptions
  MappedWeights(const recur_info &info, const char *path) : MappedWeights(detail::value_of(try_map(info, path))) {}
#endif

  MappedWeights(MappedWeights &&other) noexcept : config_(std::exchange(other.config_, recur_config())) {}
  MappedWeights &operator=(MappedWeights &&other) noexcept {
    std::swap(config_, other.config_);
    return *this;
  }
  ~MappedWeights() { recur_unmap_weights(&config_); }

  /// The weights, for make_config. They are valid as long as this object, and so are instances that use them.
  Span<const Byte> bytes() const noexcept {
    return {static_cast<const Byte *>(config_.weights), config_.weights_bytes};
  }

private:
  MappedWeights() noexcept = default;
  recur_config config_{}; /* only its weights */
};
#endif

/// An instance of a model with all the memory that a call needs. Views are valid until the next call that is not
/// const, and until the Model ends; moving it leaves them valid.
class Model {
public:
  /// Makes an instance. `functions` is NAME_entry_points() of the model's header. Memory of `config` (weights, threads)
  /// must outlive the Model. Errors: those of NAME_init.
  static Result<Model> try_make(const recur_entry_points &functions,
                                const recur_config &config = make_config()) noexcept {
    Model model;
    Result<void> made = model.make(functions, config);
    if (!made)
      return Failure(made.error());
    return Result<Model>(std::move(model));
  }

  Model(Model &&) noexcept = default;
  Model &operator=(Model &&) noexcept = default;

  /// The static description of the model.
  const recur_info &info() const noexcept { return *info_; }
  /// The index of a tensor, or -1.
  int32_t find_input(Key key) const noexcept { return find(key, info_->inputs, info_->num_inputs); }
  int32_t find_output(Key key) const noexcept { return find(key, info_->outputs, info_->num_outputs); }
  int32_t find_state(Key key) const noexcept { return find(key, info_->states, info_->num_states); }

  /// Says what an input is for the calls that follow. Its elements must live until the last of these calls returns.
  /// RECUR_E_SHAPE: there is no such input, or the number of elements is not that of the shape.
  Result<void> try_bind(Key key, const Input &input) noexcept {
    int32_t index = find_input(key);
    if (index < 0)
      return noTensor(key, RECUR_IN_INPUT);
    return setTensor(inputs_[static_cast<size_t>(index)], shapeOf(inputShapes_, index), input, RECUR_IN_INPUT, index);
  }

  /// Says where an output goes in the calls that follow: to memory of the caller, which must live as long. Output()
  /// takes that back.
  Result<void> try_bind_output(Key key, const Output &output) noexcept {
    int32_t index = find_output(key);
    if (index < 0)
      return noTensor(key, RECUR_IN_OUTPUT);
    given_[static_cast<size_t>(index)] = output;
    hasRun_ = false;
    return {};
  }

  /// Finds the shapes of the outputs, and the memory, for the inputs that are bound. Returns the bytes of workspace. A
  /// dim that only the computation decides is -1 in `shape`. Errors: those of NAME_query, and RECUR_E_NULL if an input
  /// is not bound.
  Result<size_t> try_query() noexcept {
    Result<void> bound = checkBound();
    if (!bound)
      return Failure(bound.error());
    hasRun_ = false;
    for (;;) {
      size_t bytes = 0;
      prepareOutputs();
      recur_error error = noError();
      int32_t status = functions_.query(instance_.data(), inputs_.get(), outputs_.get(), &bytes, &error);
      if (!status || status == RECUR_E_ALLOCATOR_NEEDED)
        return bytes;
      Result<void> grown = growState(error);
      if (!grown)
        return Failure(grown.error());
    }
  }

  /// Runs the model with the inputs that are bound. States get the memory that they need. Errors: those of NAME_query
  /// and of NAME_run. Outputs of a call that fails hold nothing.
  Result<void> try_run(const Limits &limits = {}) noexcept {
    size_t bytes = isStatic_ ? static_cast<size_t>(info_->workspace_bytes) : 0;
    recur_options options = {
        sizeof(recur_options), 0, limits.max_iterations, limits.max_bytes, limits.cancel, allocate, release, nullptr};
    for (;;) {
      Result<void> bound = checkBound();
      if (!bound)
        return bound;
      if (!isStatic_) {
        Result<size_t> known = try_query();
        if (!known)
          return Failure(known.error());
        bytes = *known;
      } else {
        prepareOutputs();
      }
      if (!workspace_.grow(bytes))
        return noMemory(bytes);
      Result<void> taken = takeOutputs();
      if (!taken)
        return taken;
      recur_error error = noError();
      if (tuner_)
        recur_tuner_begin(tuner_.get(), hashShapes());
      int32_t status = functions_.run(instance_.data(), inputs_.get(), outputs_.get(), workspace_.data(),
                                      workspace_.bytes(), &options, &error);
      if (tuner_ && !status)
        recur_tuner_end(tuner_.get());
      hasRun_ = !status;
      keepOutputs();
      if (!status)
        return {};
      Result<void> grown = growState(error);
      if (!grown)
        return grown;
    }
  }

  /// Binds all inputs, in the order of the model, and runs it.
  Result<void> try_run(Span<const Input> inputs, const Limits &limits = {}) noexcept {
    if (inputs.size() != static_cast<size_t>(info_->num_inputs))
      return detail::fail(RECUR_E_SHAPE, RECUR_IN_CALL, -1, nullptr, "%zu inputs are given, expected %d", inputs.size(),
                          static_cast<int>(info_->num_inputs));
    for (size_t i = 0; i < inputs.size(); ++i) {
      Result<void> bound = try_bind(i, inputs[i]);
      if (!bound)
        return bound;
    }
    return try_run(limits);
  }
  Result<void> try_run(std::initializer_list<Input> inputs, const Limits &limits = {}) noexcept {
    return try_run(Span<const Input>(inputs.begin(), inputs.size()), limits);
  }

  /// The dims of an output after a run or a query. Empty if there is no such output.
  Span<const int64_t> shape(Key key) const noexcept {
    int32_t index = find_output(key);
    return index < 0 ? Span<const int64_t>() : dimsOf(outputs_[static_cast<size_t>(index)]);
  }

  /// The value of an output. RECUR_E_SHAPE: there is no such output. RECUR_E_DTYPE: its elements have another type.
  /// RECUR_E_NULL: the last call was no run that succeeded.
  template <RECUR_HPP_ELEMENT T>
  Result<View<const T>> try_output(Key key) const noexcept {
    int32_t index = find_output(key);
    if (index < 0)
      return noTensor(key, RECUR_IN_OUTPUT);
    if (!hasRun_)
      return detail::fail(RECUR_E_NULL, RECUR_IN_OUTPUT, index, &info_->outputs[index],
                          "there is no value, because the last call was no run that succeeded");
    return view<T>(outputs_[static_cast<size_t>(index)], RECUR_IN_OUTPUT, index);
  }

  /// The value of a state, or nothing if it has its initial value. Errors: as for try_output.
  template <RECUR_HPP_ELEMENT T>
  Result<Optional<View<const T>>> try_state(Key key) const noexcept {
    int32_t index = find_state(key);
    if (index < 0)
      return noTensor(key, RECUR_IN_STATE);
    recur_tensor value{};
    recur_error error = noError();
    if (functions_.get_state(instance_.data(), index, &value, &error))
      return Failure(Error(error));
    Result<View<const T>> result = view<T>(value, RECUR_IN_STATE, index);
    if (!result)
      return Failure(result.error());
    return value.data ? Optional<View<const T>>(*result) : Optional<View<const T>>();
  }

  /// Copies a value into a state, which gets the memory that it needs. Errors: those of NAME_set_state.
  Result<void> try_set_state(Key key, const Input &value) noexcept {
    int32_t index = find_state(key);
    if (index < 0)
      return noTensor(key, RECUR_IN_STATE);
    recur_tensor tensor{};
    std::array<int64_t, max_rank> dims{};
    Result<void> set = setTensor(tensor, dims.data(), value, RECUR_IN_STATE, index);
    if (!set)
      return set;
    for (;;) {
      recur_error error = noError();
      if (!functions_.set_state(instance_.data(), index, &tensor, &error))
        return {};
      Result<void> grown = growState(error);
      if (!grown)
        return grown;
    }
  }

  /// Gives a state of dynamic dims memory for values of up to `bytes` bytes, so that no call takes memory for it.
  Result<void> try_reserve_state(Key key, size_t bytes) noexcept {
    int32_t index = find_state(key);
    if (index < 0)
      return noTensor(key, RECUR_IN_STATE);
    constexpr size_t most = std::numeric_limits<size_t>::max() / 4;
    size_t needs = 2 * ((std::min(bytes, most) + RECUR_ALIGNMENT - 1) / RECUR_ALIGNMENT * RECUR_ALIGNMENT);
    if (stateBlocks_[static_cast<size_t>(index)].bytes() >= needs)
      return {};
    return giveMemory(index, needs);
  }

  /// Gives a state its initial value. RECUR_E_SHAPE: there is no such state.
  Result<void> try_reset_state(Key key) noexcept {
    int32_t index = find_state(key);
    if (index < 0)
      return noTensor(key, RECUR_IN_STATE);
    recur_error error = noError();
    if (functions_.set_state(instance_.data(), index, nullptr, &error))
      return Failure(Error(error));
    return {};
  }

  /// Reads what the model has measured, by its NAME_profile, if it was compiled with a profile: as many rows as `rows`
  /// holds. Returns the number of all rows.
  template <class Row>
  size_t profile(int32_t (*read)(const void *, Row *, int32_t), std::common_type_t<Span<Row>> rows) const noexcept {
    size_t most = std::numeric_limits<int32_t>::max();
    return static_cast<size_t>(read(instance_.data(), rows.data(), static_cast<int32_t>(std::min(rows.size(), most))));
  }

  /// Gives all states their initial values.
  void reset() noexcept { functions_.reset(instance_.data()); }

#ifdef __cpp_exceptions
  explicit Model(const recur_entry_points &functions, const recur_config &config = make_config())
      : Model(detail::value_of(try_make(functions, config))) {}
  void bind(Key key, const Input &input) { detail::value_of(try_bind(key, input)); }
  void bind_output(Key key, const Output &output) { detail::value_of(try_bind_output(key, output)); }
  size_t query() { return detail::value_of(try_query()); }
  void run(const Limits &limits = {}) { detail::value_of(try_run(limits)); }
  void run(Span<const Input> inputs, const Limits &limits = {}) { detail::value_of(try_run(inputs, limits)); }
  void run(std::initializer_list<Input> inputs, const Limits &limits = {}) {
    detail::value_of(try_run(inputs, limits));
  }
  template <RECUR_HPP_ELEMENT T>
  View<const T> output(Key key) const {
    return detail::value_of(try_output<T>(key));
  }
  template <RECUR_HPP_ELEMENT T>
  Optional<View<const T>> state(Key key) const {
    return detail::value_of(try_state<T>(key));
  }
  void set_state(Key key, const Input &value) { detail::value_of(try_set_state(key, value)); }
  void reserve_state(Key key, size_t bytes) { detail::value_of(try_reserve_state(key, bytes)); }
  void reset_state(Key key) { detail::value_of(try_reset_state(key)); }
#endif

private:
  using Dims = std::array<int64_t, max_rank>;

  Model() noexcept = default;

  static void *allocate(void *, size_t bytes, size_t) noexcept { return detail::Block::allocate(bytes); }
  static void release(void *, void *block) noexcept { detail::Block::release(block); }

  static uint64_t nanosecondsNow() noexcept {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }

  /// A number that calls with the same shapes of the inputs have in common. Static shapes need none.
  uint64_t hashShapes() const noexcept {
    uint64_t hash = 0;
    for (int32_t i = 0; !isStatic_ && i < info_->num_inputs; ++i)
      for (int64_t dim : dimsOf(inputs_[static_cast<size_t>(i)]))
        hash = (hash ^ static_cast<uint64_t>(dim)) * 0x9e3779b97f4a7c15;
    return hash;
  }

  static recur_error noError() noexcept {
    recur_error error{};
    error.size = sizeof(error);
    return error;
  }

  static Failure noMemory(size_t bytes) noexcept {
    return detail::fail(RECUR_E_NOMEM, RECUR_IN_CALL, -1, nullptr, "there is no memory of %zu bytes", bytes);
  }

  static int64_t *shapeOf(const std::unique_ptr<Dims[]> &shapes, int32_t index) noexcept {
    return shapes[static_cast<size_t>(index)].data();
  }

  static Span<const int64_t> dimsOf(const recur_tensor &tensor) noexcept {
    return {tensor.shape, static_cast<size_t>(tensor.rank)};
  }

  static int32_t find(const Key &key, const recur_tensor_info *infos, int32_t count) noexcept {
    if (!key.isName_)
      return key.index_ >= 0 && key.index_ < count ? key.index_ : -1;
    for (int32_t i = 0; i < count; ++i)
      if (std::strlen(infos[i].name) == key.size_ && !std::memcmp(infos[i].name, key.name_, key.size_))
        return i;
    return -1;
  }

  static Failure noTensor(const Key &key, recur_place kind) noexcept {
    const char *word = kind == RECUR_IN_INPUT ? "input" : kind == RECUR_IN_OUTPUT ? "output" : "state";
    if (!key.isName_)
      return detail::fail(RECUR_E_SHAPE, RECUR_IN_CALL, -1, nullptr, "the model has no %s %d", word,
                          static_cast<int>(key.index_));
    return detail::fail(RECUR_E_SHAPE, RECUR_IN_CALL, -1, nullptr, "the model has no %s '%.*s'", word,
                        static_cast<int>(std::min<size_t>(key.size_, 96)), key.name_);
  }

  const recur_tensor_info *infoOf(recur_place kind, int32_t index) const noexcept {
    return (kind == RECUR_IN_INPUT ? info_->inputs : kind == RECUR_IN_OUTPUT ? info_->outputs : info_->states) + index;
  }

  static bool isStaticTensor(const recur_tensor_info &info) noexcept {
    return std::all_of(info.dims, info.dims + info.rank, [](int64_t dim) { return dim >= 0; });
  }

  /// The product of all dims except `skipped`, or -1 if one is negative or it does not fit.
  static int64_t countElements(const int64_t *dims, size_t rank, size_t skipped = max_rank) noexcept {
    int64_t count = 1;
    for (size_t axis = 0; axis < rank; ++axis) {
      if (axis == skipped)
        continue;
      if (dims[axis] < 0 || (dims[axis] && count > std::numeric_limits<int64_t>::max() / dims[axis]))
        return -1;
      count *= dims[axis];
    }
    return count;
  }

  Result<void> make(const recur_entry_points &functions, const recur_config &config) noexcept {
    functions_ = functions;
    info_ = functions.info();
    isStatic_ = info_->workspace_bytes >= 0;
    const int32_t counts[] = {info_->num_inputs, info_->num_outputs, info_->num_states};
    const recur_place kinds[] = {RECUR_IN_INPUT, RECUR_IN_OUTPUT, RECUR_IN_STATE};
    for (int group = 0; group < 3; ++group)
      for (int32_t i = 0; i < counts[group]; ++i) {
        const recur_tensor_info &tensor = *infoOf(kinds[group], i);
        if (static_cast<size_t>(tensor.rank) > max_rank)
          return detail::fail(RECUR_E_SHAPE, kinds[group], i, &tensor, "rank is %d, expected at most %zu",
                              static_cast<int>(tensor.rank), max_rank);
        isStatic_ = isStatic_ && isStaticTensor(tensor);
      }
    size_t bytes = functions.instance_size();
    instance_ = detail::Block(bytes);
    inputs_ = detail::make_array<recur_tensor>(info_->num_inputs);
    inputShapes_ = detail::make_array<Dims>(info_->num_inputs);
    isBound_ = detail::make_array<bool>(info_->num_inputs);
    outputs_ = detail::make_array<recur_tensor>(info_->num_outputs);
    given_ = detail::make_array<Output>(info_->num_outputs);
    outputShapes_ = detail::make_array<Dims>(info_->num_outputs);
    blocks_ = detail::make_array<detail::Block>(info_->num_outputs);
    stateBlocks_ = detail::make_array<detail::Block>(info_->num_states);
    if (!instance_.data() || !inputs_ || !inputShapes_ || !isBound_ || !outputs_ || !given_ || !outputShapes_ ||
        !blocks_ || !stateBlocks_)
      return noMemory(bytes);
    prepareOutputs();
    recur_config tuned = config;
    if (config.gang) {
      tuner_.reset(new (std::nothrow) recur_tuner);
      if (!tuner_)
        return noMemory(sizeof(recur_tuner));
      recur_tuner_init(tuner_.get(), config.gang, config.gang_ctx, nanosecondsNow);
      tuned.gang = recur_tuner_gang;
      tuned.gang_ctx = tuner_.get();
    }
    recur_error error = noError();
    if (functions.init(instance_.data(), &tuned, &error))
      return Failure(Error(error));
    return {};
  }

  /// Makes `tensor` the value that the caller gives for a tensor of the model, with dims in `shape`.
  Result<void> setTensor(recur_tensor &tensor, int64_t *shape, const Input &value, recur_place kind,
                         int32_t index) noexcept {
    const recur_tensor_info *info = infoOf(kind, index);
    Dims dims = value.shape_;
    size_t rank = value.rank_;
    if (!value.hasShape_) {
      rank = static_cast<size_t>(info->rank);
      std::copy_n(info->dims, rank, dims.begin());
      size_t open = static_cast<size_t>(std::find(dims.begin(), dims.begin() + rank, -1) - dims.begin());
      int64_t others = countElements(dims.data(), rank, open);
      if (open < rank && others <= 0)
        return detail::fail(RECUR_E_SHAPE, kind, index, info, "expected a shape, because its dims are not known");
      if (open < rank && value.count_ % static_cast<size_t>(others))
        return detail::fail(RECUR_E_SHAPE, kind, index, info, "%zu elements are given, expected a multiple of %" PRId64,
                            value.count_, others);
      if (open < rank)
        dims[open] = static_cast<int64_t>(value.count_ / static_cast<size_t>(others));
    }
    if (rank > max_rank)
      return detail::fail(RECUR_E_SHAPE, kind, index, info, "rank is %zu, expected at most %zu", rank, max_rank);
    int64_t count = countElements(dims.data(), rank);
    if (count < 0)
      return detail::fail(RECUR_E_SHAPE, kind, index, info, "its shape has a negative dim, or is too large");
    if (static_cast<size_t>(count) != value.count_)
      return detail::fail(RECUR_E_SHAPE, kind, index, info, "%zu elements are given, expected %" PRId64, value.count_,
                          count);
    std::copy_n(dims.begin(), rank, shape);
    /* No model writes to inputs. */
    tensor = {const_cast<void *>(value.data_), shape,       nullptr,
              static_cast<int32_t>(rank),      value.type_, value.count_ * elementBytes(value.type_)};
    if (kind == RECUR_IN_INPUT) {
      isBound_[static_cast<size_t>(index)] = true;
      hasRun_ = false;
    }
    return {};
  }

  static size_t elementBytes(int32_t type) noexcept {
    constexpr uint8_t bytes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
    return bytes[type];
  }

  Result<void> checkBound() const noexcept {
    for (int32_t i = 0; i < info_->num_inputs; ++i)
      if (!isBound_[static_cast<size_t>(i)])
        return detail::fail(RECUR_E_NULL, RECUR_IN_INPUT, i, &info_->inputs[i], "it is not bound");
    return {};
  }

  /// Sets all outputs as a query needs them: the static dims, and no data.
  void prepareOutputs() noexcept {
    for (int32_t i = 0; i < info_->num_outputs; ++i) {
      const recur_tensor_info &info = info_->outputs[i];
      int64_t *shape = shapeOf(outputShapes_, i);
      std::copy_n(info.dims, info.rank, shape);
      outputs_[static_cast<size_t>(i)] = {nullptr, shape, nullptr, info.rank, info.element_type, 0};
    }
  }

  /// Sets the data of all outputs as a run needs them. A dim of -1 is one that the run decides: then it allocates.
  Result<void> takeOutputs() noexcept {
    for (size_t i = 0; i < static_cast<size_t>(info_->num_outputs); ++i) {
      recur_tensor &output = outputs_[i];
      if (given_[i].data_) {
        output.data = given_[i].data_;
        output.bytes = given_[i].bytes_;
        output.element_type = given_[i].type_;
        continue;
      }
      int64_t count = countElements(output.shape, static_cast<size_t>(output.rank));
      if (count < 0) {
        output.data = nullptr;
        output.bytes = 0;
        blocks_[i] = detail::Block();
        continue;
      }
      size_t bytes = static_cast<size_t>(count) * elementBytes(output.element_type);
      if (!blocks_[i].grow(bytes))
        return noMemory(bytes);
      output.data = blocks_[i].data();
      output.bytes = blocks_[i].bytes();
    }
    return {};
  }

  /// Owns what the run allocated.
  void keepOutputs() noexcept {
    for (size_t i = 0; i < static_cast<size_t>(info_->num_outputs); ++i)
      if (!given_[i].data_ && outputs_[i].data && outputs_[i].data != blocks_[i].data())
        blocks_[i] = detail::Block(outputs_[i].data, outputs_[i].bytes);
  }

  Result<void> giveMemory(int32_t index, size_t bytes) noexcept {
    detail::Block block(bytes);
    if (!block.data())
      return noMemory(bytes);
    recur_error error = noError();
    if (functions_.state_memory(instance_.data(), index, block.data(), bytes, &error))
      return Failure(Error(error));
    stateBlocks_[static_cast<size_t>(index)] = std::move(block);
    return {};
  }

  /// If the error is that a state lacks memory, gives it that. It at least doubles, so that many short steps are cheap.
  Result<void> growState(const recur_error &error) noexcept {
    if (error.code != RECUR_E_CAPACITY || error.where != RECUR_IN_STATE)
      return Failure(Error(error));
    size_t has = stateBlocks_[static_cast<size_t>(error.tensor)].bytes(), needs = static_cast<size_t>(error.detail[0]);
    if (needs <= has)
      return Failure(Error(error));
    return giveMemory(error.tensor, std::max(needs, 2 * has));
  }

  template <RECUR_HPP_ELEMENT T>
  Result<View<const T>> view(const recur_tensor &tensor, recur_place kind, int32_t index) const noexcept {
    if (tensor.element_type != element_type_of<T>())
      return detail::fail(RECUR_E_DTYPE, kind, index, infoOf(kind, index), "element type is %s, but %s is asked for",
                          element_type_name(tensor.element_type), element_type_name(element_type_of<T>()));
    Span<const int64_t> dims = dimsOf(tensor);
    size_t count = tensor.data ? static_cast<size_t>(countElements(dims.data(), dims.size())) : 0;
    return View<const T>{{static_cast<const T *>(tensor.data), count}, dims};
  }

  recur_entry_points functions_{};
  const recur_info *info_ = nullptr;
  detail::Block instance_, workspace_;
  std::unique_ptr<recur_tensor[]> inputs_, outputs_;
  std::unique_ptr<Output[]> given_;
  std::unique_ptr<Dims[]> inputShapes_, outputShapes_;
  std::unique_ptr<bool[]> isBound_;
  std::unique_ptr<detail::Block[]> blocks_, stateBlocks_;
  std::unique_ptr<recur_tuner> tuner_; /* null: the calls have one thread */
  bool isStatic_ = false;              /* no dim, and so no size, depends on a call: a run needs no query */
  bool hasRun_ = false;
};

} // namespace RECUR_HPP_VARIANT
} // namespace recur

#endif // C++14, and the header of a model
#endif // RECUR_HPP
