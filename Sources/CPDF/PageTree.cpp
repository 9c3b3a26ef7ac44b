#ifdef CARREL_WITH_QPDF

#include "PageTree.h"

#include "Meter.h"

#include <algorithm>
#include <cmath>

namespace {

const int mostLevels = 64;
const size_t mostNodes = 200000;
const size_t mostPages = 1000000;
/// More than there may be, so that only the end of the tree, or an error, ends a search for so many.
const size_t allPages = mostPages + 1;
/// Blocks of a file that are read to check what it claims.
const size_t blocksToCheck = 8;
/// Nodes that are loaded at once, and blocks that are read until it is known better which ones come next.
const size_t nodesAtOnce = 16;

unsigned long long key(QPDFObjGen id) {
    return static_cast<unsigned long long>(static_cast<unsigned>(id.getObj())) << 32 | static_cast<unsigned>(id.getGen());
}

bool isNode(QPDFObjectHandle object) { return object.isDictionary() && object.getKey("/Kids").isArray(); }

/// Four numbers, in whatever order the corners come, of a size that a screen can have; false where it is no such box.
bool readBox(QPDFObjectHandle array, double *box) {
    if (!array.isArray() || array.getArrayNItems() != 4) return false;
    for (int index = 0; index < 4; index++) {
        QPDFObjectHandle number = array.getArrayItem(index);
        if (!number.isNumber()) return false;
        box[index] = number.getNumericValue();
        if (!std::isfinite(box[index]) || std::fabs(box[index]) > 1e7) return false;
    }
    if (box[0] > box[2]) std::swap(box[0], box[2]);
    if (box[1] > box[3]) std::swap(box[1], box[3]);
    return box[2] - box[0] > 0.01 && box[3] - box[1] > 0.01;
}

carrel_pdf_page measure(QPDFObjectHandle media, QPDFObjectHandle crop, QPDFObjectHandle rotation, QPDFObjectHandle unit) {
    carrel_pdf_page page = {{0, 0, 612, 792}, {0, 0, 612, 792}, 0, 1, 0};
    double box[4];
    if (readBox(media, box)) {
        std::copy(box, box + 4, page.media);
    } else {
        page.is_assumed = 1;
    }
    std::copy(page.media, page.media + 4, page.crop);
    if (readBox(crop, box)) {
        // Effectively the part of it that the media box has (ISO 32000-1, section 14.11.2).
        const double common[4] = {
            std::max(box[0], page.media[0]), std::max(box[1], page.media[1]), std::min(box[2], page.media[2]),
            std::min(box[3], page.media[3])};
        if (common[2] - common[0] > 0.01 && common[3] - common[1] > 0.01) std::copy(common, common + 4, page.crop);
    }
    if (rotation.isInteger() && rotation.getIntValue() % 90 == 0) page.rotation = static_cast<int>((rotation.getIntValue() % 360 + 360) % 360);
    if (unit.isNumber()) {
        const double value = unit.getNumericValue();
        if (std::isfinite(value) && value > 0 && value <= 1000) page.unit = value;
    }
    return page;
}

}  // namespace

void PageTree::Inherited::take(QPDFObjectHandle node) {
    for (auto [name, value] : {std::pair("/MediaBox", &media), {"/CropBox", &crop}, {"/Rotate", &rotation}}) {
        QPDFObjectHandle own = node.getKey(name);
        if (!own.isNull()) *value = own;
    }
    // These are not read before they are needed.
    QPDFObjectHandle own = node.getKey("/Resources");
    if (own.isIndirect() || !own.isNull()) resources = own;
}

PageTree::PageTree(QPDF &document, RangedSource &source, unsigned &problems)
    : document(document), source(source), problems(problems) {
    const QPDFObjectHandle null = QPDFObjectHandle::newNull();
    inheritances.push_back({null, null, null, null});
    left.push_back({document.getRoot().getKey("/Pages"), 0, 0});
}

void PageTree::look() {
    QPDFObjectHandle root = left.front().node;
    QPDFObjectHandle count = root.isDictionary() ? root.getKey("/Count") : QPDFObjectHandle::newNull();
    if (count.isInteger()) claimed = count.getIntValue();
    read(allPages, blocksToCheck);
    if (left.empty()) return;
    places = document.getXRefTable();
    // Each page is an object of its own, as a rule.
    const bool isPlausible = claimed >= static_cast<long long>(pages.size() + left.size())
        && claimed <= static_cast<long long>(std::min(mostPages, places.size()));
    if (!isPlausible) readAll();
}

void PageTree::read(size_t count, size_t blocks) {
    const size_t most = source.blocksSeen() + blocks;
    const bool wasComplete = left.empty();
    while (!left.empty() && pages.size() < count && source.blocksSeen() < most) {
        const Step step = left.back();
        left.pop_back();
        visit(step);
    }
    if (!wasComplete && left.empty() && claimed != static_cast<long long>(pages.size())) problems |= carrel_pdf_miscounted;
}

void PageTree::readAll() {
    while (!left.empty()) {
        prefetch();
        read(allPages, nodesAtOnce);
    }
}

void PageTree::prefetch() {
    if (places.empty()) places = document.getXRefTable();
    std::vector<long long> offsets;
    for (size_t index = left.size(); index > 0 && left.size() - index < nodesAtOnce; index--) {
        const auto place = places.find(left[index - 1].node.getObjGen());
        if (place != places.end() && place->second.getType() == 1) offsets.push_back(place->second.getOffset());
    }
    source.prefetch(offsets);
}

long PageTree::count() const { return left.empty() ? static_cast<long>(pages.size()) : static_cast<long>(claimed); }

bool PageTree::has(long index) {
    const size_t wanted = static_cast<size_t>(index) + 1;
    read(wanted, blocksToCheck);
    while (!left.empty() && pages.size() < wanted) {
        prefetch();
        read(wanted, nodesAtOnce);
    }
    return wanted <= pages.size();
}

void PageTree::visit(const Step &step) {
    Meter::current()->step();
    QPDFObjectHandle node = step.node;
    if (!isNode(node)) {
        if (node.isDictionary()) {
            addPage(node, step.inherited);
        } else {
            problems |= carrel_pdf_pages_damaged;
        }
        return;
    }
    if (step.depth >= mostLevels || (node.isIndirect() && !visited.insert(node.getObjGen()).second)) {
        problems |= carrel_pdf_pages_damaged;
        return;
    }
    Inherited own = inheritances[step.inherited];
    own.take(node);
    const size_t inherited = inheritances.size();
    inheritances.push_back(own);
    QPDFObjectHandle kids = node.getKey("/Kids"), count = node.getKey("/Count");
    const int kidCount = kids.getArrayNItems();
    if (count.isInteger() && count.getIntValue() == kidCount) {
        for (int index = 0; index < kidCount; index++) addPage(kids.getArrayItem(index), inherited);
        return;
    }
    // `visited` does not know direct nodes, and an array of these can be the kids of each of them. Counted before they are put off,
    // because waiting kids take memory, too.
    nodes += static_cast<size_t>(kidCount);
    if (nodes > mostNodes) throw Stopped{carrel_pdf_too_large};
    for (int index = kidCount; index > 0; index--) left.push_back({kids.getArrayItem(index - 1), step.depth + 1, inherited});
}

void PageTree::addPage(QPDFObjectHandle page, size_t inherited) {
    // Many nodes can have one array of kids.
    if (pages.size() >= mostPages) throw Stopped{carrel_pdf_too_large};
    pages.push_back({page, inherited});
}

carrel_pdf_page PageTree::page(long index) const {
    Inherited own = inheritances.front();
    QPDFObjectHandle object = leaf(index, own);
    QPDFObjectHandle unit = object.isDictionary() ? object.getKey("/UserUnit") : QPDFObjectHandle::newNull();
    return measure(own.media, own.crop, own.rotation, unit);
}

std::map<std::string, QPDFObjectHandle> PageTree::alone(long index) const {
    Inherited own = inheritances.front();
    QPDFObjectHandle object = leaf(index, own);
    std::map<std::string, QPDFObjectHandle> entries = {
        {"/MediaBox", own.media}, {"/CropBox", own.crop}, {"/Rotate", own.rotation}, {"/Resources", own.resources}};
    for (const char *key : {"/Contents", "/Group", "/Annots", "/UserUnit"}) {
        entries[key] = object.isDictionary() ? object.getKey(key) : QPDFObjectHandle::newNull();
    }
    return entries;
}

QPDFObjectHandle PageTree::leaf(long index, Inherited &own) const {
    const Page &found = pages[static_cast<size_t>(index)];
    QPDFObjectHandle object = found.object;
    own = inheritances[found.inherited];
    // A node with one page below it was taken for that page.
    for (int level = 0; level < mostLevels && object.isDictionary(); level++) {
        Meter::current()->step();
        own.take(object);
        if (!isNode(object) || object.getKey("/Kids").getArrayNItems() == 0) break;
        object = object.getKey("/Kids").getArrayItem(0);
    }
    return object;
}

long PageTree::index(QPDFObjectHandle page) {
    // A flag, because a document without indirect pages would be gone through at each question.
    if (!isIndexed) {
        readAll();
        isIndexed = true;
        for (size_t index = 0; index < pages.size(); index++) {
            if (pages[index].object.isIndirect()) indexes.emplace(key(pages[index].object.getObjGen()), static_cast<long>(index));
        }
    }
    for (int level = 0; level < mostLevels && page.isIndirect(); level++) {
        const auto found = indexes.find(key(page.getObjGen()));
        if (found != indexes.end()) return found->second;
        // A node with one page below it was taken for that page.
        if (!page.isDictionary()) break;
        page = page.getKey("/Parent");
    }
    return -1;
}

#endif
