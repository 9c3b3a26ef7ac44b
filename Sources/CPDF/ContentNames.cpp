#ifdef CARREL_WITH_QPDF

#include "ContentNames.h"

#include "Meter.h"

#include <cstring>

namespace {

const size_t mostNames = 20000;
/// Bytes of a name (ISO 32000-1, annex C, allows 127), written with up to three for each.
const size_t longestName = 3 * 127;

/// White space and delimiters end a name (ISO 32000-1, section 7.2.2).
bool isRegular(unsigned char byte) { return byte > ' ' && std::strchr("()<>[]{}/%", byte) == nullptr; }

int digit(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

}  // namespace

void ContentNames::read(QPDFObjectHandle stream) {
    const Meter::Content content;
    bool isFiltered = false;
    const bool isRead = stream.pipeStreamData(this, &isFiltered, 0, qpdf_dl_generalized, true, false);
    finish();
    if (!isRead || !isFiltered) isEveryName = true;
}

void ContentNames::write(unsigned char const *data, size_t count) {
    for (size_t index = 0; index < count; index++) {
        if (isInName && isRegular(data[index])) {
            if (current.size() <= longestName) current += static_cast<char>(data[index]);
            continue;
        }
        take();
        isInName = data[index] == '/';
    }
}

void ContentNames::finish() { take(); }

void ContentNames::take() {
    if (!isInName) return;
    isInName = false;
    std::string name = "/";
    for (size_t index = 0; index < current.size(); index++) {
        const bool isEscape = current[index] == '#' && index + 2 < current.size() && digit(current[index + 1]) >= 0
            && digit(current[index + 2]) >= 0;
        name += isEscape ? static_cast<char>(digit(current[index + 1]) * 16 + digit(current[index + 2])) : current[index];
        if (isEscape) index += 2;
    }
    current.clear();
    if (names.size() < mostNames) {
        names.insert(name);
    } else {
        isEveryName = true;
    }
}

#endif
