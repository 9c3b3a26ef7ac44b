// Tags and lengths of audio files through TagLib, which reads by calling back.
#ifndef CARREL_CAUDIOTAGS_H
#define CARREL_CAUDIOTAGS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads up to `count` bytes from `offset` on into `buffer`; fewer at the file's end. -1 stops all reading.
typedef long (*carrel_audio_read)(void *context, long long offset, void *buffer, size_t count);

/// Takes one value of a tag: names as TagLib's property map has them, such as `ARTIST`; both in UTF-8, closed by NUL.
typedef void (*carrel_audio_tag)(void *context, const char *key, const char *value);

/// The container, whatever the file's name says.
enum carrel_audio_kind { carrel_audio_mpeg, carrel_audio_flac, carrel_audio_vorbis, carrel_audio_opus, carrel_audio_mp4 };

/// What the audio data says. 0 where it says nothing.
struct carrel_audio_facts {
    int milliseconds;
    /// Thousand bits a second.
    int bitrate;
    /// Hertz.
    int sample_rate;
    int channels;
};

/// Reads tags and facts of the file of `length` bytes behind `read`, which is called on this thread.
///
/// @return 1 when it is such a file, 0 when it is not or is damaged, -1 when reading was stopped.
int carrel_audio_parse(
    enum carrel_audio_kind kind, long long length, void *context, carrel_audio_read read, carrel_audio_tag tag,
    struct carrel_audio_facts *facts);

#ifdef __cplusplus
}
#endif

#endif
