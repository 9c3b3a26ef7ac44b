// libpq, PostgreSQL's client library.
#ifndef CARREL_CPQ_SHIM_H
#define CARREL_CPQ_SHIM_H

#if !__has_include(<libpq-fe.h>)
#error "Carrel needs libpq for its package trait Fleet, which is off by default. On Debian and Ubuntu: sudo apt-get install libpq-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <libpq-fe.h>

/// Swift cannot import macros whose value is a character.
static const int carrel_PG_DIAG_SEVERITY_NONLOCALIZED = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int carrel_PG_DIAG_SQLSTATE = PG_DIAG_SQLSTATE;
static const int carrel_PG_DIAG_MESSAGE_PRIMARY = PG_DIAG_MESSAGE_PRIMARY;
static const int carrel_PG_DIAG_MESSAGE_DETAIL = PG_DIAG_MESSAGE_DETAIL;
static const int carrel_PG_DIAG_MESSAGE_HINT = PG_DIAG_MESSAGE_HINT;

#endif
