#ifdef CARREL_WITH_QPDF

#include "StreamFilters.h"

#include "LZWDecoder.h"
#include "Meter.h"
#include "Predictor.h"

#include <qpdf/Pl_Flate.hh>
#include <qpdf/Pl_RunLength.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFStreamFilter.hh>

#include <memory>
#include <vector>

namespace {

/// Passes bytes on and counts them, if a call of ours runs on this thread.
class Measured : public Pipeline {
public:
    explicit Measured(Pipeline *next) : Pipeline("measured", next) {}

    void write(unsigned char const *data, size_t count) override {
        if (Meter *meter = Meter::current()) meter->unpack(data, count);
        getNext()->write(data, count);
    }

    void finish() override { getNext()->finish(); }
};

long long integer(QPDFObjectHandle dictionary, const char *key, long long otherwise) {
    QPDFObjectHandle value = dictionary.isDictionary() ? dictionary.getKey(key) : QPDFObjectHandle::newNull();
    return value.isInteger() ? value.getIntValue() : otherwise;
}

/// Flate and LZW with their parameters (ISO 32000-1, section 7.4.4), run lengths (7.4.5).
class CarefulFilter : public QPDFStreamFilter {
public:
    enum Kind { flate, lzw, runLength };

    explicit CarefulFilter(Kind kind) : kind(kind), meter(Meter::current()) {
        if (meter) meter->addFilter();
    }

    ~CarefulFilter() override {
        if (meter) meter->removeFilter();
    }

    bool setDecodeParms(QPDFObjectHandle parameters) override {
        if (parameters.isNull() || kind == runLength) return true;
        if (!parameters.isDictionary()) return false;
        isEarly = integer(parameters, "/EarlyChange", 1) != 0;
        layout.predictor = integer(parameters, "/Predictor", 1);
        layout.columns = integer(parameters, "/Columns", 1);
        layout.colors = integer(parameters, "/Colors", 1);
        layout.bits = integer(parameters, "/BitsPerComponent", 8);
        return layout.isUsable();
    }

    Pipeline *getDecodePipeline(Pipeline *next) override {
        // Behind the predictor: rows that differ in nothing have no words, and become words only there.
        next = keep(new Measured(next));
        if (layout.predictor > 1) next = keep(new Predictor(layout, next));
        switch (kind) {
        case flate: return keep(new Pl_Flate("inflate", next, Pl_Flate::a_inflate));
        case lzw: return keep(new LZWDecoder(isEarly, next));
        case runLength: return keep(new Pl_RunLength("run lengths", next, Pl_RunLength::a_decode));
        }
        return next;
    }

    bool isSpecializedCompression() override { return kind == runLength; }

private:
    Pipeline *keep(Pipeline *pipeline) {
        pipelines.emplace_back(pipeline);
        return pipeline;
    }

    const Kind kind;
    /// The one that counts this filter; it outlives the call's document.
    Meter *const meter;
    bool isEarly = true;
    Predictor::Layout layout;
    std::vector<std::unique_ptr<Pipeline>> pipelines;
};

void install(const char *name, CarefulFilter::Kind kind) {
    QPDF::registerStreamFilter(name, [kind] { return std::make_shared<CarefulFilter>(kind); });
}

}  // namespace

bool installStreamFilters() {
    install("/FlateDecode", CarefulFilter::flate);
    install("/LZWDecode", CarefulFilter::lzw);
    install("/RunLengthDecode", CarefulFilter::runLength);
    return true;
}

#endif
