#ifdef CARREL_WITH_QPDF

#include "LZWDecoder.h"

#include <stdexcept>

LZWDecoder::LZWDecoder(bool isEarly, Pipeline *next) : Pipeline("LZW", next), early(isEarly ? 1 : 0) {
    words.reserve(4096);
    for (unsigned byte = 0; byte < 258; byte++) {
        words.push_back({0, 1, static_cast<unsigned char>(byte), static_cast<unsigned char>(byte)});
    }
}

void LZWDecoder::write(unsigned char const *data, size_t count) {
    for (size_t index = 0; index < count && !isAtEnd; index++) {
        bits = bits << 8 | data[index];
        bitCount += 8;
        if (bitCount < codeLength) continue;
        bitCount -= codeLength;
        take(bits >> bitCount & ((1u << codeLength) - 1));
        bits &= (1u << bitCount) - 1;
    }
}

void LZWDecoder::finish() { getNext()->finish(); }

void LZWDecoder::take(unsigned code) {
    if (code == end) {
        isAtEnd = true;
        return;
    }
    if (code == clear) {
        words.resize(258);
        codeLength = 9;
        before = none;
        return;
    }
    if (before != none && words.size() < 4096) {
        // The next word is the one before and the first byte of this, which may be that next word itself.
        const Word &prefix = words[before];
        const unsigned char last = code < words.size() ? words[code].first : prefix.first;
        words.push_back({static_cast<unsigned short>(before), static_cast<unsigned short>(prefix.length + 1), prefix.first, last});
    }
    if (code >= words.size()) throw std::runtime_error("LZW: a code before its word");
    output.resize(words[code].length);
    unsigned place = code;
    for (size_t index = output.size(); index > 0; index--) {
        output[index - 1] = words[place].last;
        place = words[place].prefix;
    }
    getNext()->write(output.data(), output.size());
    before = code;
    // The word that the next code makes counts already.
    const size_t next = words.size() + early;
    codeLength = next >= 2048 ? 12 : next >= 1024 ? 11 : next >= 512 ? 10 : 9;
}

#endif
