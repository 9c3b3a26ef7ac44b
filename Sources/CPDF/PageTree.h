// The pages of a document in their order.
#ifndef CARREL_CPDF_PAGETREE_H
#define CARREL_CPDF_PAGETREE_H

#include "CPDF.h"
#include "RangedSource.h"

#include <qpdf/QPDF.hh>

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

/// Reads the inner nodes of the tree of pages (ISO 32000-1, section 7.7.3), each once, and only as far as it has to.
///
/// Where a node counts as many pages as it has kids, these are taken for pages and not read: they lie all over the file.
class PageTree {
public:
    /// Reads nothing yet. Notes what was wrong in `problems`, bits of `carrel_pdf_problem`.
    PageTree(QPDF &document, RangedSource &source, unsigned &problems);

    /// Reads the tree as long as this takes no more than some blocks of the file. If there is more of it and what the document
    /// claims makes sense, that is believed; else all of it is read.
    void look();

    /// Pages found, or claimed where the tree is not known whole.
    long count() const;

    /// Whether there is a page with the index `index`. Reads the tree up to there.
    bool has(long index);

    /// Boxes and rotation of the page with the index `index`, which must exist and be read.
    carrel_pdf_page page(long index) const;

    /// What the page with the index `index`, which must exist and be read, has or inherits for being drawn. The values are not read.
    std::map<std::string, QPDFObjectHandle> alone(long index) const;

    /// The index of a page; -1 where `page` is none. Reads the whole tree.
    long index(QPDFObjectHandle page);

private:
    /// What a node passes on to the pages below it.
    struct Inherited {
        QPDFObjectHandle media, crop, rotation, resources;

        void take(QPDFObjectHandle node);
    };

    struct Page {
        QPDFObjectHandle object;
        size_t inherited;
    };

    struct Step {
        QPDFObjectHandle node;
        int depth;
        size_t inherited;
    };

    /// The page itself, whose own values and those above it go into `values`.
    QPDFObjectHandle leaf(long index, Inherited &values) const;
    /// Reads on until there are so many pages, or until it has read so many more blocks.
    void read(size_t count, size_t blocks);
    void readAll();
    /// Has the nodes loaded that come next: they may lie all over the file.
    void prefetch();
    /// Adds the pages below a node, or puts its kids off.
    void visit(const Step &step);
    void addPage(QPDFObjectHandle page, size_t inherited);

    QPDF &document;
    RangedSource &source;
    unsigned &problems;
    /// What the root says; -1 where that makes no sense.
    long long claimed = -1;
    /// What was put off, the next one last.
    std::vector<Step> left;
    std::map<QPDFObjGen, QPDFXRefEntry> places;
    std::vector<Inherited> inheritances;
    std::vector<Page> pages;
    std::set<QPDFObjGen> visited;
    /// The root and all kids that were put off.
    size_t nodes = 1;
    bool isIndexed = false;
    /// Made at the first question.
    std::unordered_map<unsigned long long, long> indexes;
};

#endif
