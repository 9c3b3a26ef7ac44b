// libarchive, and the locale that it takes names from.
#ifndef CARREL_CARCHIVE_SHIM_H
#define CARREL_CARCHIVE_SHIM_H

#if !__has_include(<archive.h>)
#error "Carrel needs libarchive for its package trait Formats, which is on by default. On Debian and Ubuntu: sudo apt-get install libarchive-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

/// newlocale(3) and uselocale(3), whose types and masks Swift does not see: names become UTF-8 on this thread, whatever the process has.
/// Null where the system has no such locale.
static inline void *carrel_archive_utf8_begin(void) {
    locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (locale) uselocale(locale);
    return (void *)locale;
}

/// Gives this thread the process's locale back.
static inline void carrel_archive_utf8_end(void *locale) {
    if (!locale) return;
    uselocale(LC_GLOBAL_LOCALE);
    freelocale((locale_t)locale);
}

#endif
