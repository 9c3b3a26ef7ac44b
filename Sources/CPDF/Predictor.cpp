#ifdef CARREL_WITH_QPDF

#include "Predictor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

bool Predictor::Layout::isUsable() const {
    if (predictor <= 1) return predictor == 1;
    if (predictor != 2 && (predictor < 10 || predictor > 15)) return false;
    if (columns < 1 || columns > (1 << 20) || colors < 1 || colors > 32) return false;
    if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16) return false;
    return rowLength() <= (1 << 20);
}

Predictor::Predictor(const Layout &layout, Pipeline *next)
    : Pipeline("predictor", next),
      layout(layout),
      length(layout.rowLength()),
      distance(static_cast<size_t>(std::max(1LL, layout.colors * layout.bits / 8))),
      header(layout.predictor == 2 ? 0 : 1),
      current(length + header),
      previous(length) {}

void Predictor::write(unsigned char const *data, size_t count) {
    while (count > 0) {
        const size_t part = std::min(count, current.size() - filled);
        std::memcpy(current.data() + filled, data, part);
        filled += part;
        data += part;
        count -= part;
        if (filled == current.size()) takeRow();
    }
}

void Predictor::finish() {
    if (filled > 0) {
        std::fill(current.begin() + static_cast<long>(filled), current.end(), 0);
        takeRow();
    }
    getNext()->finish();
}

void Predictor::takeRow() {
    unsigned char *row = current.data() + header;
    if (header == 0) {
        undoTIFF(row);
    } else {
        undoPNG(current[0], row);
        std::memcpy(previous.data(), row, length);
    }
    getNext()->write(row, length);
    filled = 0;
}

void Predictor::undoPNG(unsigned char kind, unsigned char *row) {
    for (size_t index = 0; index < length; index++) {
        const int left = index >= distance ? row[index - distance] : 0;
        const int up = previous[index];
        const int corner = index >= distance ? previous[index - distance] : 0;
        int guess = 0;
        switch (kind) {
        case 1: guess = left; break;
        case 2: guess = up; break;
        case 3: guess = (left + up) / 2; break;
        case 4: {
            // Of the three neighbours the one nearest to left + up - corner (PNG, section 9.4).
            const int byLeft = std::abs(up - corner), byUp = std::abs(left - corner), byCorner = std::abs(left + up - 2 * corner);
            guess = byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner;
            break;
        }
        default: break;
        }
        row[index] = static_cast<unsigned char>(row[index] + guess);
    }
}

void Predictor::undoTIFF(unsigned char *row) {
    const size_t bits = static_cast<size_t>(layout.bits), colors = static_cast<size_t>(layout.colors);
    if (bits == 8) {
        for (size_t index = colors; index < length; index++) row[index] = static_cast<unsigned char>(row[index] + row[index - colors]);
        return;
    }
    const size_t samples = static_cast<size_t>(layout.columns) * colors;
    const auto get = [&](size_t sample) {
        if (bits == 16) return static_cast<unsigned>(row[2 * sample] << 8 | row[2 * sample + 1]);
        return static_cast<unsigned>(row[sample * bits / 8] >> (8 - bits - sample * bits % 8)) & ((1u << bits) - 1);
    };
    for (size_t sample = colors; sample < samples; sample++) {
        const unsigned value = (get(sample) + get(sample - colors)) & ((1u << bits) - 1);
        if (bits == 16) {
            row[2 * sample] = static_cast<unsigned char>(value >> 8);
            row[2 * sample + 1] = static_cast<unsigned char>(value);
        } else {
            const size_t shift = 8 - bits - sample * bits % 8;
            unsigned char &byte = row[sample * bits / 8];
            byte = static_cast<unsigned char>((byte & ~(((1u << bits) - 1) << shift)) | value << shift);
        }
    }
}

#endif
