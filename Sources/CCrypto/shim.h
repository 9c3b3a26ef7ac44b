// libcrypto of OpenSSL 3.0 and later, as it is.
#ifndef CARREL_CCRYPTO_SHIM_H
#define CARREL_CCRYPTO_SHIM_H

#if !__has_include(<openssl/evp.h>)
#error "Carrel needs OpenSSL's libcrypto. On Debian and Ubuntu: sudo apt-get install libssl-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev)"
#endif
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#endif
