// Says what to install where SQLite is missing.
#include "CSQLite.h"

#if !__has_include(<sqlite3.h>)
#error "Carrel needs SQLite for ReaderLibrary and Sync. On Debian and Ubuntu: sudo apt-get install libsqlite3-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <sqlite3.h>
