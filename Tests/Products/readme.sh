# What README.md says of the products; for run.sh, and for Tests/Bare/run.sh. README is its path.

products_section() { awk '/^## /{ inside = $0 == "## Products" } inside' "$README"; }

# A cell of the row of PRODUCT, counted from 1.
cell() { # PRODUCT NUMBER
  products_section | awk -F ' *[|] *' -v product="\`$1\`" -v number="$2" 'index($2, product) { print $(number + 1) }'
}

# The libraries of PRODUCT with the default traits, such as libcurl.
listed_libraries() { { cell "$1" 2; cell "$1" 3; } | grep -o 'lib[a-z0-9]*' | sort -u || true; }

# The Swift packages that are compiled for PRODUCT.
listed_packages() { cell "$1" 4 | grep -o '[A-Za-z][A-Za-z.-]*' | sort -u || true; }

# The Debian package of a library.
debian_package() { printf '%s\n' "$(products_section | tr '\n' ' ' | sed -n "s/.*\b$1 \`\([^\`]*\)\`.*/\1/p")"; }
