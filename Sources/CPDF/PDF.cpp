#include "CPDF.h"

// Without the trait Formats, qpdf need not be installed, and the files of this folder are empty.
#ifdef CARREL_WITH_QPDF

#include "Meter.h"
#include "Outline.h"
#include "PageDocument.h"
#include "PageTree.h"
#include "RangedSource.h"
#include "StreamFilters.h"

#include <qpdf/Pipeline.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFExc.hh>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace {

const bool areFiltersInstalled = installStreamFilters();

const size_t longestText = 64 << 10;
const size_t largestXMP = 1 << 20;

/// Collects the metadata stream up to the limit; what is longer is left out as a whole.
class Collected : public Pipeline {
public:
    Collected() : Pipeline("metadata", nullptr) {}

    void write(unsigned char const *data, size_t count) override {
        if (bytes.size() + count > largestXMP) throw TooLong();
        bytes.append(reinterpret_cast<const char *>(data), count);
    }

    void finish() override {}

    /// No `std::exception`; see `Stopped`.
    struct TooLong {};
    std::string bytes;
};

void give(const carrel_pdf_sink &sink, carrel_pdf_text kind, const std::string &text) {
    if (!text.empty()) sink.text(sink.context, kind, text.data(), std::min(text.size(), longestText));
}

/// Gives a text; anything else but null in its place is noted.
void give(const carrel_pdf_sink &sink, carrel_pdf_text kind, QPDFObjectHandle value, unsigned &problems) {
    if (value.isString()) {
        give(sink, kind, value.getUTF8Value());
    } else if (!value.isNull()) {
        problems |= carrel_pdf_metadata_damaged;
    }
}

void readInformation(QPDF &document, const carrel_pdf_sink &sink, unsigned &problems) {
    QPDFObjectHandle information = document.getTrailer().getKey("/Info");
    if (!information.isDictionary()) {
        if (!information.isNull()) problems |= carrel_pdf_metadata_damaged;
        return;
    }
    const std::pair<const char *, carrel_pdf_text> keys[] = {
        {"/Title", carrel_pdf_title},       {"/Author", carrel_pdf_author},         {"/Subject", carrel_pdf_subject},
        {"/Keywords", carrel_pdf_keywords}, {"/CreationDate", carrel_pdf_created}, {"/ModDate", carrel_pdf_modified}};
    for (const auto &[key, kind] : keys) give(sink, kind, information.getKey(key), problems);
}

void readXMP(QPDF &document, const carrel_pdf_sink &sink, unsigned &problems) {
    QPDFObjectHandle stream = document.getRoot().getKey("/Metadata");
    if (!stream.isStream()) {
        if (!stream.isNull()) problems |= carrel_pdf_metadata_damaged;
        return;
    }
    Collected collected;
    bool isFiltered = false;
    try {
        if (!stream.pipeStreamData(&collected, &isFiltered, 0, qpdf_dl_specialized, true, false) || !isFiltered) {
            problems |= carrel_pdf_metadata_damaged;
            return;
        }
    } catch (const Collected::TooLong &) {
        problems |= carrel_pdf_metadata_damaged;
        return;
    }
    if (!collected.bytes.empty()) sink.text(sink.context, carrel_pdf_xmp, collected.bytes.data(), collected.bytes.size());
}

void readIdentity(QPDF &document, const carrel_pdf_sink &sink, carrel_pdf_facts &facts) {
    QPDFObjectHandle id = document.getTrailer().getKey("/ID");
    if (id.isArray() && id.getArrayNItems() == 2 && id.getArrayItem(0).isString() && id.getArrayItem(1).isString()) {
        give(sink, carrel_pdf_first_id, id.getArrayItem(0).getStringValue());
        give(sink, carrel_pdf_second_id, id.getArrayItem(1).getStringValue());
    }
    QPDFObjectHandle catalog = document.getRoot();
    QPDFObjectHandle language = catalog.getKey("/Lang");
    give(sink, carrel_pdf_language, language, facts.problems);
    QPDFObjectHandle addresses = catalog.getKey("/URI");
    if (addresses.isDictionary() && addresses.getKey("/Base").isString()) {
        give(sink, carrel_pdf_base, addresses.getKey("/Base").getUTF8Value());
    }
    QPDFObjectHandle preferences = catalog.getKey("/ViewerPreferences");
    facts.is_right_to_left = preferences.isDictionary() && preferences.getKey("/Direction").isNameAndEquals("/R2L");
}

/// Runs `body`; what is damaged or too much there is noted, and the rest of the document is read all the same.
void attempt(unsigned &problems, unsigned damaged, unsigned cut, const std::function<void()> &body) {
    try {
        body();
    } catch (const Stopped &stopped) {
        if (stopped.reason == carrel_pdf_stopped) throw;
        problems |= cut;
    } catch (const std::exception &) {
        problems |= damaged;
    }
}

void describe(QPDF &document, RangedSource &source, const carrel_pdf_sink &sink, carrel_pdf_facts &facts) {
    PageTree pages(document, source, facts.problems);
    pages.look();
    facts.page_count = pages.count();
    const unsigned metadata = carrel_pdf_metadata_damaged;
    attempt(facts.problems, metadata, metadata, [&] { readInformation(document, sink, facts.problems); });
    attempt(facts.problems, metadata, metadata, [&] { readIdentity(document, sink, facts); });
    attempt(facts.problems, metadata, metadata, [&] { readXMP(document, sink, facts.problems); });
    const unsigned damaged = carrel_pdf_pages_damaged;
    attempt(facts.problems, damaged, damaged, [&] {
        if (pages.has(0)) facts.first_page = pages.page(0);
    });
    attempt(facts.problems, carrel_pdf_outline_damaged, carrel_pdf_outline_cut, [&] {
        readOutline(document.getRoot(), pages, sink, facts.problems);
    });
    // The outline may have asked for all of them.
    facts.page_count = pages.count();
    // Everything that qpdf warns of is damage.
    if (document.anyWarnings()) facts.problems |= carrel_pdf_repaired;
}

/// Whether only attached files are encrypted. The document itself is then read without a password (ISO 32000-1, section 7.6.5).
bool isOpenButForAttachments(QPDF &document) {
    QPDFObjectHandle encryption = document.getTrailer().getKey("/Encrypt");
    if (!encryption.isDictionary() || !encryption.getKey("/V").isInteger() || encryption.getKey("/V").getIntValue() < 4) return false;
    // Streams and texts are as they are if nothing else is said (table 20).
    for (const char *key : {"/StmF", "/StrF"}) {
        QPDFObjectHandle filter = encryption.getKey(key);
        if (!filter.isNull() && !filter.isNameAndEquals("/Identity")) return false;
    }
    return true;
}

/// Reads the table of objects. The document need not be open for its attachments, which nothing here reads.
void open(std::unique_ptr<QPDF> &document, const std::shared_ptr<RangedSource> &source, long long length) {
    const auto make = [&] {
        document = std::make_unique<QPDF>();
        document->setSuppressWarnings(true);
        // Repairing reads all of the file.
        document->setAttemptRecovery(length <= Meter::largestRepaired);
    };
    make();
    try {
        document->processInputSource(source, "");
    } catch (const QPDFExc &error) {
        if (error.getErrorCode() != qpdf_e_password || !isOpenButForAttachments(*document)) throw;
        make();
        // A key of any value: nothing that is read is encrypted with it.
        document->setPasswordIsHexKey(true);
        document->processInputSource(source, "00000000000000000000000000000000");
    }
}

carrel_pdf_result run(long long length, const carrel_pdf_sink &sink, const std::function<void(QPDF &, RangedSource &)> &body) {
    try {
        Meter meter(length, sink.seconds);
        const auto source = std::make_shared<RangedSource>(sink, length, meter);
        std::unique_ptr<QPDF> document;
        open(document, source, length);
        body(*document, *source);
        return carrel_pdf_done;
    } catch (const Stopped &stopped) {
        return stopped.reason;
    } catch (const QPDFExc &error) {
        return error.getErrorCode() == qpdf_e_password ? carrel_pdf_locked : carrel_pdf_damaged;
    } catch (const std::bad_alloc &) {
        return carrel_pdf_too_large;
    } catch (...) {
        return carrel_pdf_damaged;
    }
}

}  // namespace

extern "C" carrel_pdf_result carrel_pdf_describe(long long length, const carrel_pdf_sink *sink, carrel_pdf_facts *facts) {
    *facts = carrel_pdf_facts();
    return run(length, *sink, [&](QPDF &document, RangedSource &source) { describe(document, source, *sink, *facts); });
}

extern "C" carrel_pdf_result carrel_pdf_pages(long long length, long first, long count, const carrel_pdf_sink *sink) {
    return run(length, *sink, [&](QPDF &document, RangedSource &source) {
        unsigned problems = 0;
        PageTree pages(document, source, problems);
        for (long index = std::max(0L, first); count > 0 && pages.has(index); index++, count--) {
            const carrel_pdf_page page = pages.page(index);
            sink->page(sink->context, &page);
        }
    });
}

extern "C" carrel_pdf_result carrel_pdf_extract(long long length, long index, const carrel_pdf_sink *sink) {
    return run(length, *sink, [&](QPDF &document, RangedSource &source) {
        unsigned problems = 0;
        PageTree pages(document, source, problems);
        if (index < 0 || !pages.has(index)) throw Stopped{carrel_pdf_no_page};
        PageDocument(document, pages, source, *sink).write(index);
    });
}

#endif
