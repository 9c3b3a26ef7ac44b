#!/usr/bin/env bash
# Writes a package as an app's author would, which takes one product of Carrel and uses it.
#
#   make.sh PRODUCT FOLDER DEPENDENCY      for example: make.sh Sync /tmp/try '.package(name: "carrel", path: "/src/carrel")'
set -euo pipefail

product=$1 folder=$2 dependency=$3
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/Sources/$product.swift
also=$(sed -n 's/^\/\/ Also depends on the product \(.*\)\.$/\1/p' "$source")

mkdir -p "$folder/Sources/Try$product"
cat >"$folder/Package.swift" <<P
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "try-$product",
    dependencies: [$dependency],
    targets: [
        .executableTarget(
            name: "Try$product",
            dependencies: [$(for name in "$product" $also; do printf '.product(name: "%s", package: "carrel"), ' "$name"; done)])
    ]
)
P
install -m 644 -p "$source" "$folder/Sources/Try$product/main.swift"
