// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShapedBuilder.h - Builds arithmetic on scalars and vectors -*- C++ -*-===//
//
// Patterns that expand an op do the same for a scalar and a vector. With this builder, they are written once.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_SHAPEDBUILDER_H
#define RECUR_LIB_TRANSFORMS_SHAPEDBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {

/// Builds arithmetic on scalars and vectors alike. A type with the name `like` gives the shape. Sums,
/// differences, products and quotients are those of floats. Integers are numbers of bits here: `less` is unsigned, and
/// `left` and `right` are shifts that fill with zeros.
struct ShapedBuilder : mlir::ImplicitLocOpBuilder {
  ShapedBuilder(mlir::Operation *op, mlir::PatternRewriter &rewriter) : ImplicitLocOpBuilder(op->getLoc(), rewriter) {}
  ShapedBuilder(mlir::Location loc, mlir::OpBuilder &builder) : ImplicitLocOpBuilder(loc, builder) {}

  mlir::Type withShape(mlir::Type like, mlir::Type element) {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(like);
    return shaped ? mlir::Type(shaped.clone(element)) : element;
  }
  mlir::Value constant(mlir::Type type, mlir::TypedAttr value) {
    if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(type))
      value = mlir::DenseElementsAttr::get(shaped, value);
    return mlir::arith::ConstantOp::create(*this, value);
  }
  mlir::Value bits(mlir::Type type, uint64_t value) {
    mlir::Type element = mlir::getElementTypeOrSelf(type);
    return constant(type, getIntegerAttr(element, llvm::APInt(element.getIntOrFloatBitWidth(), value)));
  }
  mlir::Value number(mlir::Type type, double value) {
    return constant(type, getFloatAttr(mlir::getElementTypeOrSelf(type), value));
  }
  mlir::Value cast(mlir::Type type, mlir::Value value) { return mlir::arith::BitcastOp::create(*this, type, value); }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return mlir::arith::SelectOp::create(*this, condition, a, b);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpFOp::create(*this, predicate, a, b);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(*this, predicate, a, b);
  }
  mlir::Value sum(mlir::Value a, mlir::Value b) { return mlir::arith::AddFOp::create(*this, a, b); }
  mlir::Value difference(mlir::Value a, mlir::Value b) { return mlir::arith::SubFOp::create(*this, a, b); }
  mlir::Value product(mlir::Value a, mlir::Value b) { return mlir::arith::MulFOp::create(*this, a, b); }
  mlir::Value quotient(mlir::Value a, mlir::Value b) { return mlir::arith::DivFOp::create(*this, a, b); }
  mlir::Value magnitude(mlir::Value a) { return mlir::math::AbsFOp::create(*this, a); }
  mlir::Value less(mlir::Value a, mlir::Value b) { return compare(mlir::arith::CmpIPredicate::ult, a, b); }
  mlir::Value plus(mlir::Value a, mlir::Value b) { return mlir::arith::AddIOp::create(*this, a, b); }
  mlir::Value either(mlir::Value a, mlir::Value b) { return mlir::arith::OrIOp::create(*this, a, b); }
  mlir::Value both(mlir::Value a, mlir::Value b) { return mlir::arith::AndIOp::create(*this, a, b); }
  mlir::Value left(mlir::Value a, uint64_t by) { return mlir::arith::ShLIOp::create(*this, a, bits(a.getType(), by)); }
  mlir::Value right(mlir::Value a, uint64_t by) {
    return mlir::arith::ShRUIOp::create(*this, a, bits(a.getType(), by));
  }
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_SHAPEDBUILDER_H
