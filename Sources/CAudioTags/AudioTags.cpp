#include "CAudioTags.h"

// Without the trait Formats, TagLib need not be installed, and this file is empty.
#ifdef CARREL_WITH_TAGLIB

#if !__has_include(<taglib/tiostream.h>)
#error "Carrel needs TagLib for its package trait Formats, which is on by default. On Debian and Ubuntu: sudo apt-get install libtag1-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif

#include <taglib/flacfile.h>
#include <taglib/id3v2frame.h>
#include <taglib/id3v2framefactory.h>
#include <taglib/mp4file.h>
#include <taglib/mpegfile.h>
#include <taglib/opusfile.h>
#include <taglib/tiostream.h>
#include <taglib/tpropertymap.h>
#include <taglib/vorbisfile.h>

#include <algorithm>
#include <exception>
#include <string>

namespace {

/// Ends all reading, out of any loop of TagLib's.
struct Stopped : std::exception {};

/// A file that is read by calling back, within limits, and never written.
class CallbackStream : public TagLib::IOStream {
public:
    CallbackStream(void *context, carrel_audio_read read, long long length) : context(context), callback(read), size(length) {}

    TagLib::FileName name() const override { return ""; }

    TagLib::ByteVector readBlock(unsigned long count) override {
        step();
        if (position < 0 || position >= size || count == 0) return TagLib::ByteVector();
        const long long wanted = std::min<long long>(static_cast<long long>(count), size - position);
        if (wanted > largestRead) throw Stopped();
        bytes += wanted;
        if (bytes > mostBytes) throw Stopped();
        TagLib::ByteVector data(static_cast<unsigned int>(wanted), 0);
        const long came = callback(context, position, data.data(), static_cast<size_t>(wanted));
        if (came < 0 || came > wanted) throw Stopped();
        data.resize(static_cast<unsigned int>(came));
        position += came;
        return data;
    }

    void seek(long offset, Position from) override {
        step();
        const long long start = from == Beginning ? 0 : from == Current ? position : size;
        if (__builtin_add_overflow(start, static_cast<long long>(offset), &position)) throw Stopped();
    }

    long tell() const override { return static_cast<long>(position); }
    long length() override { return static_cast<long>(size); }
    bool readOnly() const override { return true; }
    bool isOpen() const override { return true; }
    void writeBlock(const TagLib::ByteVector &) override {}
    void insert(const TagLib::ByteVector &, unsigned long, unsigned long) override {}
    void removeBlock(unsigned long, unsigned long) override {}
    void truncate(long) override {}

private:
    /// Bytes at once: a tag with pictures in it is read as one.
    static const long long largestRead = 16 << 20;
    static const long long mostBytes = 32 << 20;
    /// Also bounds how deep boxes of MP4 can be nested, since each takes two steps.
    static const int mostSteps = 20000;

    void step() {
        if (++steps > mostSteps) throw Stopped();
    }

    void *context;
    carrel_audio_read callback;
    long long size;
    long long position = 0;
    long long bytes = 0;
    int steps = 0;
};

/// TagLib keeps the type for itself and those that derive from its frames.
class FrameHeader : public TagLib::ID3v2::Frame {
public:
    using Type = Header;
};

/// Frames of ID3v2 without those that could become a thousand times larger than the file.
class CarefulFrames : public TagLib::ID3v2::FrameFactory {
public:
    static const CarefulFrames *instance() {
        static const CarefulFrames *frames = new CarefulFrames;
        return frames;
    }

protected:
    bool updateFrame(FrameHeader::Type *header) const override {
        // TagLib unpacks a compressed frame whatever its size; next to nobody writes them.
        if (header->compression()) throw Stopped();
        // Their inner frames are made by another factory than this one.
        if (header->frameID() == "CHAP" || header->frameID() == "CTOC") return false;
        return TagLib::ID3v2::FrameFactory::updateFrame(header);
    }
};

void giveTags(const TagLib::PropertyMap &tags, void *context, carrel_audio_tag give) {
    for (auto tag = tags.begin(); tag != tags.end(); ++tag) {
        const std::string key = tag->first.to8Bit(true);
        for (auto value = tag->second.begin(); value != tag->second.end(); ++value) {
            give(context, key.c_str(), value->to8Bit(true).c_str());
        }
    }
}

int report(TagLib::File &file, void *context, carrel_audio_tag give, carrel_audio_facts *facts) {
    if (!file.isValid()) return 0;
    if (const TagLib::AudioProperties *audio = file.audioProperties()) {
        facts->milliseconds = audio->lengthInMilliseconds();
        facts->bitrate = audio->bitrate();
        facts->sample_rate = audio->sampleRate();
        facts->channels = audio->channels();
    }
    giveTags(file.properties(), context, give);
    return 1;
}

int parse(carrel_audio_kind kind, CallbackStream &stream, void *context, carrel_audio_tag give, carrel_audio_facts *facts) {
    auto *frames = const_cast<CarefulFrames *>(CarefulFrames::instance());
    switch (kind) {
    case carrel_audio_mpeg: {
        TagLib::MPEG::File file(&stream, frames);
        const int result = report(file, context, give, facts);
        // Any file passes for MPEG; one without a single frame and without a tag is none.
        return file.hasID3v2Tag() || file.hasID3v1Tag() || file.hasAPETag() || facts->sample_rate > 0 ? result : 0;
    }
    case carrel_audio_flac: {
        TagLib::FLAC::File file(&stream, frames);
        return report(file, context, give, facts);
    }
    case carrel_audio_vorbis: {
        TagLib::Ogg::Vorbis::File file(&stream);
        return report(file, context, give, facts);
    }
    case carrel_audio_opus: {
        TagLib::Ogg::Opus::File file(&stream);
        return report(file, context, give, facts);
    }
    case carrel_audio_mp4: {
        TagLib::MP4::File file(&stream);
        return report(file, context, give, facts);
    }
    }
    return 0;
}

}  // namespace

extern "C" int carrel_audio_parse(
    carrel_audio_kind kind, long long length, void *context, carrel_audio_read read, carrel_audio_tag tag, carrel_audio_facts *facts) {
    *facts = carrel_audio_facts();
    try {
        CallbackStream stream(context, read, length);
        return parse(kind, stream, context, tag, facts);
    } catch (const std::exception &) {
        return -1;
    }
}

#endif
