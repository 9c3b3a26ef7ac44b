// One page as a document.
#ifndef CARREL_CPDF_PAGEDOCUMENT_H
#define CARREL_CPDF_PAGEDOCUMENT_H

#include "CPDF.h"
#include "ContentNames.h"
#include "PageTree.h"
#include "RangedSource.h"

#include <qpdf/QPDF.hh>

#include <map>
#include <string>
#include <vector>

/// Writes a document that consists of one page of another, and of what is needed to draw it.
///
/// What the page does not use by name is left out, because many files share the resources of all pages. Links, private data and
/// everything else that leads to other pages is left out, too. Streams stay packed as they are; nothing is encrypted any more.
class PageDocument {
public:
    PageDocument(QPDF &document, PageTree &pages, RangedSource &source, const carrel_pdf_sink &sink);

    /// Writes the page with the index `index`, which must exist.
    void write(long index);

private:
    using Objects = std::vector<QPDFObjectHandle>;

    /// The page with what it inherits, and without what leads elsewhere.
    QPDFObjectHandle page(long index);
    QPDFObjectHandle annotations(QPDFObjectHandle array);
    /// Those of `resources` that are called by one of the names.
    QPDFObjectHandle used(QPDFObjectHandle resources, const ContentNames &names);

    /// Has these objects loaded, as far as they can be kept, whole and at once.
    void load(const Objects &objects);
    /// Where the object is in the file, or the stream of objects that it is in; false if nobody knows.
    bool extent(QPDFObjGen object, long long &start, long long &end) const;
    void addReferences(QPDFObjectHandle object, Objects &found);
    /// Gives numbers to all that `root` refers to.
    void gather(QPDFObjectHandle root);
    /// Leaves out of a stream what drawing does not need.
    void prepare(QPDFObjectHandle stream, Objects &found);

    void append(QPDFObjectHandle object);
    void appendValue(QPDFObjectHandle object);
    void appendEntries(QPDFObjectHandle dictionary, bool isStream);
    void begin(size_t number);
    void add(size_t number, QPDFObjectHandle object);
    void addStream(size_t number, QPDFObjectHandle stream);
    /// The layers among the objects, and which of them are not shown (ISO 32000-1, section 8.11.4).
    void appendLayers();
    void appendListed(const char *key, QPDFObjectHandle array);
    void finish();
    void flush();

    QPDF &document;
    PageTree &pages;
    RangedSource &source;
    const carrel_pdf_sink &sink;

    const std::map<QPDFObjGen, QPDFXRefEntry> places;
    /// Where objects start, in order.
    std::vector<long long> starts;
    /// The numbers of the objects in the new document.
    std::map<QPDFObjGen, size_t> numbers;
    Objects objects;
    Objects layers;
    /// Those of the page, whole and as far as they are used: old forms have none of their own.
    QPDFObjectHandle allResources;
    QPDFObjectHandle usedResources;

    std::string text;
    long long written = 0;
    std::vector<long long> offsets;
};

#endif
