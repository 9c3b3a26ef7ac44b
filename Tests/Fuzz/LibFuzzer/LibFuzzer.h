#include <stddef.h>
#include <stdint.h>

/// The compiler ships no header for it. Source: LLVM, "libFuzzer", "Using libFuzzer as a library".
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
