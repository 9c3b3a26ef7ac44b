#ifdef CARREL_WITH_QPDF

#include "PageDocument.h"

#include "Meter.h"

#include <algorithm>
#include <cstdio>
#include <functional>

namespace {

const size_t mostObjects = 20000;
const int mostLevels = 64;
const int mostAnnotations = 200;
/// Bytes of the new document; 64 MiB.
const long long largestDocument = 64 << 20;
/// Bytes of text that are handed over at once.
const size_t pieceLength = 64 << 10;
/// Objects that are loaded at once, blocks of them, and bytes of one object among them.
const size_t objectsAtOnce = 48;
const size_t blocksAtOnce = 64;
const long long longestExtent = 1 << 20;
/// The catalog, the node, the page.
const size_t firstNumber = 4;

/// Hands on what a stream holds, and counts it.
class Given : public Pipeline {
public:
    explicit Given(const std::function<void(const char *, size_t)> &give) : Pipeline("stream", nullptr), give(give) {}

    void write(unsigned char const *data, size_t length) override {
        count += static_cast<long long>(length);
        give(reinterpret_cast<const char *>(data), length);
    }

    void finish() override {}

    long long count = 0;

private:
    const std::function<void(const char *, size_t)> give;
};

}  // namespace

PageDocument::PageDocument(QPDF &document, PageTree &pages, RangedSource &source, const carrel_pdf_sink &sink)
    : document(document), pages(pages), source(source), sink(sink), places(document.getXRefTable()) {
    for (const auto &[object, place] : places) {
        if (place.getType() == 1) starts.push_back(place.getOffset());
    }
    std::sort(starts.begin(), starts.end());
}

void PageDocument::write(long index) {
    QPDFObjectHandle page = this->page(index);
    gather(page);
    text = "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n";
    begin(1);
    text += "<</Type/Catalog/Pages 2 0 R";
    appendLayers();
    text += ">>\nendobj\n";
    begin(2);
    text += "<</Type/Pages/Count 1/Kids[3 0 R]>>\nendobj\n";
    begin(3);
    text += "<</Parent 2 0 R";
    appendEntries(page, false);
    text += ">>\nendobj\n";
    // More come at the end: the lengths of streams.
    const size_t count = objects.size();
    for (size_t at = 0; at < count; at++) add(firstNumber + at, objects[at]);
    finish();
}

// MARK: The page

QPDFObjectHandle PageDocument::page(long index) {
    // Whatever goes into a dictionary is read, because null would not; so all that will go there is loaded before, at once.
    std::map<std::string, QPDFObjectHandle> entries = pages.alone(index);
    Objects values;
    for (const auto &[key, value] : entries) values.push_back(value);
    load(values);
    QPDFObjectHandle contents = entries["/Contents"];
    Objects parts = {contents};
    if (contents.isArray()) {
        parts.clear();
        for (int at = 0; at < contents.getArrayNItems(); at++) parts.push_back(contents.getArrayItem(at));
        load(parts);
    }
    ContentNames names;
    for (QPDFObjectHandle part : parts) {
        if (part.isStream()) names.read(part);
    }
    allResources = entries["/Resources"];
    usedResources = used(allResources, names);
    QPDFObjectHandle page = QPDFObjectHandle::newDictionary();
    page.replaceKey("/Type", QPDFObjectHandle::newName("/Page"));
    for (const char *key : {"/MediaBox", "/CropBox", "/Rotate", "/UserUnit", "/Contents", "/Group"}) page.replaceKey(key, entries[key]);
    page.replaceKey("/Resources", usedResources);
    page.replaceKey("/Annots", annotations(entries["/Annots"]));
    return page;
}

QPDFObjectHandle PageDocument::annotations(QPDFObjectHandle array) {
    QPDFObjectHandle kept = QPDFObjectHandle::newArray();
    if (!array.isArray()) return kept;
    Objects items, shown, appearances;
    for (int at = 0; at < std::min(array.getArrayNItems(), mostAnnotations); at++) items.push_back(array.getArrayItem(at));
    load(items);
    for (QPDFObjectHandle item : items) {
        if (!item.isDictionary() || item.getKey("/Subtype").isNameAndEquals("/Link")) continue;
        shown.push_back(item);
        appearances.push_back(item.getKey("/AP"));
    }
    load(appearances);
    for (size_t at = 0; at < shown.size(); at++) {
        if (!appearances[at].isDictionary()) continue;
        QPDFObjectHandle annotation = QPDFObjectHandle::newDictionary(), normal = QPDFObjectHandle::newDictionary();
        for (const char *key : {"/Type", "/Subtype", "/Rect", "/F", "/AS", "/FT", "/OC"}) {
            annotation.replaceKey(key, shown[at].getKey(key));
        }
        normal.replaceKey("/N", appearances[at].getKey("/N"));
        annotation.replaceKey("/AP", normal);
        kept.appendItem(annotation);
    }
    return kept;
}

QPDFObjectHandle PageDocument::used(QPDFObjectHandle resources, const ContentNames &names) {
    QPDFObjectHandle result = QPDFObjectHandle::newDictionary();
    if (!resources.isDictionary()) return result;
    const std::map<std::string, QPDFObjectHandle> kinds = resources.getDictAsMap();
    Objects values, chosen;
    for (const auto &[kind, value] : kinds) values.push_back(value);
    load(values);
    // A device's colours may stand for others without being called (ISO 32000-1, section 8.6.5.6).
    const auto isUsed = [&](const std::string &name) { return names.has(name) || name.compare(0, 8, "/Default") == 0; };
    for (QPDFObjectHandle value : values) {
        if (!value.isDictionary()) continue;
        for (const auto &[name, resource] : value.getDictAsMap()) {
            // Any number of forms can have the resources of the page.
            Meter::current()->step();
            if (isUsed(name)) chosen.push_back(resource);
        }
    }
    load(chosen);
    for (auto [kind, value] : kinds) {
        if (!value.isDictionary()) continue;
        QPDFObjectHandle some = QPDFObjectHandle::newDictionary();
        for (const auto &[name, resource] : value.getDictAsMap()) {
            if (isUsed(name)) some.replaceKey(name, resource);
        }
        result.replaceKey(kind, some);
    }
    return result;
}

// MARK: What belongs to it

bool PageDocument::extent(QPDFObjGen object, long long &start, long long &end) const {
    auto place = places.find(object);
    if (place != places.end() && place->second.getType() == 2) {
        place = places.find(QPDFObjGen(place->second.getObjStreamNumber(), 0));
    }
    if (place == places.end() || place->second.getType() != 1) return false;
    start = place->second.getOffset();
    const auto next = std::upper_bound(starts.begin(), starts.end(), start);
    end = next == starts.end() ? start + longestExtent : *next;
    return true;
}

void PageDocument::load(const Objects &objects) {
    std::set<long long> heads, wholes;
    for (const QPDFObjectHandle &object : objects) {
        long long start = 0, end = 0;
        if (!object.isIndirect() || !extent(object.getObjGen(), start, end)) continue;
        start = start / carrel_pdf_block * carrel_pdf_block;
        heads.insert(start);
        end = std::min(end, start + longestExtent);
        for (long long at = start; at < end; at += carrel_pdf_block) wholes.insert(at);
    }
    const std::set<long long> &wanted = wholes.size() <= blocksAtOnce ? wholes : heads;
    source.prefetch(std::vector<long long>(wanted.begin(), wanted.end()));
}

void PageDocument::addReferences(QPDFObjectHandle object, Objects &found) {
    Objects left = {object};
    bool isFirst = true;
    while (!left.empty()) {
        QPDFObjectHandle value = left.back();
        left.pop_back();
        Meter::current()->step();
        if (value.isIndirect() && !isFirst) {
            if (!numbers.emplace(value.getObjGen(), firstNumber + objects.size()).second) continue;
            if (objects.size() >= mostObjects) throw Stopped{carrel_pdf_too_large};
            objects.push_back(value);
            found.push_back(value);
            continue;
        }
        isFirst = false;
        if (value.isArray()) {
            for (int at = 0; at < value.getArrayNItems(); at++) left.push_back(value.getArrayItem(at));
        } else if (value.isDictionary()) {
            for (const auto &[name, entry] : value.getDictAsMap()) left.push_back(entry);
        }
    }
}

void PageDocument::gather(QPDFObjectHandle root) {
    Objects level;
    addReferences(root, level);
    for (int depth = 0; depth < mostLevels && !level.empty(); depth++) {
        // In the order of the file, so that neighbours are loaded together.
        std::multimap<long long, QPDFObjectHandle> inOrder;
        for (const QPDFObjectHandle &object : level) {
            long long start = 0, end = 0;
            inOrder.emplace(extent(object.getObjGen(), start, end) ? start : 0, object);
        }
        level.clear();
        for (const auto &[start, object] : inOrder) level.push_back(object);
        Objects next;
        for (size_t at = 0; at < level.size(); at += objectsAtOnce) {
            const Objects some(level.begin() + at, level.begin() + std::min(level.size(), at + objectsAtOnce));
            load(some);
            for (QPDFObjectHandle object : some) {
                if (object.isStream()) {
                    prepare(object, next);
                    addReferences(object.getDict(), next);
                } else if (object.isDictionary() && object.getKey("/Type").isNameAndEquals("/OCG")) {
                    layers.push_back(object);
                } else if (!object.isDictionary() || !(object.getKey("/Type").isNameAndEquals("/Page") || object.hasKey("/Kids"))) {
                    addReferences(object, next);
                }
            }
        }
        level = next;
    }
}

void PageDocument::prepare(QPDFObjectHandle stream, Objects &found) {
    QPDFObjectHandle dictionary = stream.getDict();
    const bool isForm = dictionary.getKey("/Subtype").isNameAndEquals("/Form");
    if (isForm || dictionary.getKey("/Subtype").isNameAndEquals("/Image")) {
        for (const char *key : {"/PieceInfo", "/Metadata", "/LastModified", "/StructParent", "/StructParents", "/OPI", "/AF", "/Alternates"}) {
            dictionary.removeKey(key);
        }
    }
    if (!isForm && !dictionary.getKey("/PatternType").isInteger()) return;
    ContentNames names;
    names.read(stream);
    QPDFObjectHandle resources = dictionary.getKey("/Resources");
    if (resources.isDictionary()) {
        dictionary.replaceKey("/Resources", used(resources, names));
        return;
    }
    // Before PDF 1.2 forms drew from the resources of the page.
    QPDFObjectHandle more = used(allResources, names);
    for (auto [kind, chosen] : more.getDictAsMap()) {
        QPDFObjectHandle known = usedResources.getKey(kind);
        if (!known.isDictionary()) continue;
        for (const auto &[name, resource] : chosen.getDictAsMap()) known.replaceKey(name, resource);
    }
    addReferences(usedResources, found);
}

// MARK: Writing

void PageDocument::append(QPDFObjectHandle object) {
    if (!object.isIndirect()) return appendValue(object);
    const auto number = numbers.find(object.getObjGen());
    text += number == numbers.end() ? "null" : std::to_string(number->second) + " 0 R";
}

void PageDocument::appendValue(QPDFObjectHandle object) {
    Meter::current()->step();
    if (static_cast<long long>(text.size()) > largestDocument) throw Stopped{carrel_pdf_too_large};
    if (object.isArray()) {
        text += '[';
        for (int at = 0; at < object.getArrayNItems(); at++) {
            append(object.getArrayItem(at));
            text += ' ';
        }
        text += ']';
    } else if (object.isDictionary()) {
        text += "<<";
        appendEntries(object, false);
        text += ">>";
    } else {
        text += object.isStream() ? "null" : object.unparseResolved();
    }
}

void PageDocument::appendEntries(QPDFObjectHandle dictionary, bool isStream) {
    for (const auto &[key, value] : dictionary.getDictAsMap()) {
        // A stream's own length follows it. Data in other files are no part of the document.
        if (isStream && (key == "/Length" || key == "/F" || key == "/FFilter" || key == "/FDecodeParms")) continue;
        text += QPDFObjectHandle::newName(key).unparse() + ' ';
        append(value);
        text += '\n';
    }
}

void PageDocument::begin(size_t number) {
    flush();
    if (offsets.size() <= number) offsets.resize(number + 1);
    offsets[number] = written;
    text += std::to_string(number) + " 0 obj\n";
}

void PageDocument::add(size_t number, QPDFObjectHandle object) {
    if (object.isStream()) return addStream(number, object);
    begin(number);
    const bool isElsewhere = object.isDictionary() && (object.getKey("/Type").isNameAndEquals("/Page") || object.hasKey("/Kids"));
    if (isElsewhere) {
        text += "null";
    } else {
        appendValue(object);
    }
    text += "\nendobj\n";
}

void PageDocument::addStream(size_t number, QPDFObjectHandle stream) {
    const size_t lengthNumber = firstNumber + objects.size();
    objects.push_back(QPDFObjectHandle::newNull());
    begin(number);
    text += "<</Length " + std::to_string(lengthNumber) + " 0 R\n";
    appendEntries(stream.getDict(), true);
    text += ">>\nstream\n";
    long long start = 0, end = 0;
    if (extent(stream.getObjGen(), start, end)) source.expect(start, end);
    Given given([this](const char *bytes, size_t count) {
        text.append(bytes, count);
        if (text.size() >= pieceLength) flush();
    });
    stream.pipeStreamData(&given, nullptr, 0, qpdf_dl_none, true, false);
    text += "\nendstream\nendobj\n";
    begin(lengthNumber);
    text += std::to_string(given.count) + "\nendobj\n";
}

void PageDocument::appendLayers() {
    if (layers.empty()) return;
    QPDFObjectHandle all = QPDFObjectHandle::newArray();
    for (const QPDFObjectHandle &layer : layers) all.appendItem(layer);
    text += "/OCProperties<</OCGs";
    append(all);
    text += "/D<<";
    QPDFObjectHandle properties = document.getRoot().getKey("/OCProperties");
    QPDFObjectHandle usual = properties.isDictionary() ? properties.getKey("/D") : QPDFObjectHandle::newNull();
    if (usual.isDictionary()) {
        QPDFObjectHandle state = usual.getKey("/BaseState");
        if (state.isName()) text += "/BaseState " + state.unparseResolved();
        appendListed("/ON", usual.getKey("/ON"));
        appendListed("/OFF", usual.getKey("/OFF"));
    }
    text += ">>>>";
}

void PageDocument::appendListed(const char *key, QPDFObjectHandle array) {
    if (!array.isArray()) return;
    text += key;
    text += '[';
    for (int at = 0; at < array.getArrayNItems(); at++) {
        QPDFObjectHandle item = array.getArrayItem(at);
        if (!item.isIndirect() || numbers.count(item.getObjGen()) == 0) continue;
        append(item);
        text += ' ';
    }
    text += ']';
}

void PageDocument::finish() {
    flush();
    const long long table = written;
    text += "xref\n0 " + std::to_string(offsets.size()) + "\n0000000000 65535 f \n";
    for (size_t number = 1; number < offsets.size(); number++) {
        char line[24];
        std::snprintf(line, sizeof line, "%010lld 00000 n \n", offsets[number]);
        text += line;
    }
    text += "trailer\n<</Size " + std::to_string(offsets.size()) + "/Root 1 0 R>>\nstartxref\n" + std::to_string(table) + "\n%%EOF\n";
    flush();
}

void PageDocument::flush() {
    written += static_cast<long long>(text.size());
    if (written > largestDocument) throw Stopped{carrel_pdf_too_large};
    if (!text.empty() && sink.write(sink.context, text.data(), text.size()) != 0) throw Stopped{carrel_pdf_stopped};
    text.clear();
}

#endif
