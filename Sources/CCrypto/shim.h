// libcrypto of OpenSSL 3.0 and later, as it is.
#ifndef CARREL_CCRYPTO_SHIM_H
#define CARREL_CCRYPTO_SHIM_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#endif
