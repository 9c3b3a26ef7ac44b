// libcrypto of OpenSSL 3.0 and later, with the macros that Swift cannot see as functions.
#ifndef CARREL_CCRYPTO_SHIM_H
#define CARREL_CCRYPTO_SHIM_H

#if !__has_include(<openssl/evp.h>)
#error "Carrel needs OpenSSL's libcrypto. On Debian and Ubuntu: sudo apt-get install libssl-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/// `XN_FLAG_RFC2253` is a macro. Without `ASN1_STRFLGS_ESC_MSB`, letters outside ASCII stay as they are, in UTF-8.
static inline int carrel_name_print(BIO *output, const X509_NAME *name) {
    return X509_NAME_print_ex(output, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

#endif
