// libcurl for Swift. Here is only what Swift cannot import: variadic functions, and macros with casts in them.
#ifndef CARREL_CCURL_SHIM_H
#define CARREL_CCURL_SHIM_H

#if !__has_include(<curl/curl.h>)
#error "Carrel needs libcurl. On Debian and Ubuntu: sudo apt-get install libcurl4-openssl-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <curl/curl.h>

// curl_easy_setopt(3) and curl_easy_getinfo(3) are variadic: one wrapper for each type of value.
static inline CURLcode carrel_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode carrel_set_offset(CURL *easy, CURLoption option, curl_off_t value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode carrel_set_string(CURL *easy, CURLoption option, const char *value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode carrel_set_pointer(CURL *easy, CURLoption option, void *value) { return curl_easy_setopt(easy, option, value); }

typedef size_t (*carrel_data_callback)(char *buffer, size_t size, size_t count, void *context);
typedef int (*carrel_seek_callback)(void *context, curl_off_t offset, int origin);
static inline CURLcode carrel_set_data_callback(CURL *easy, CURLoption option, carrel_data_callback value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode carrel_set_seek_callback(CURL *easy, carrel_seek_callback value) { return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value); }
typedef int (*carrel_prereq_callback)(void *context, char *remote, char *local, int remote_port, int local_port);
static inline CURLcode carrel_set_prereq_callback(CURL *easy, carrel_prereq_callback value) { return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value); }

typedef int (*carrel_debug_callback)(CURL *easy, curl_infotype kind, char *data, size_t size, void *context);
static inline CURLcode carrel_set_debug_callback(CURL *easy, carrel_debug_callback value) { return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, value); }
typedef curl_socket_t (*carrel_opensocket_callback)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
static inline CURLcode carrel_set_opensocket_callback(CURL *easy, carrel_opensocket_callback value) { return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value); }
typedef int (*carrel_sockopt_callback)(void *context, curl_socket_t socket, curlsocktype purpose);
static inline CURLcode carrel_set_sockopt_callback(CURL *easy, carrel_sockopt_callback value) { return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, value); }
typedef int (*carrel_closesocket_callback)(void *context, curl_socket_t socket);
static inline CURLcode carrel_set_closesocket_callback(CURL *easy, carrel_closesocket_callback value) { return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value); }
typedef CURLcode (*carrel_tls_callback)(CURL *easy, void *tls, void *context);
static inline CURLcode carrel_set_tls_callback(CURL *easy, carrel_tls_callback value) { return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, value); }

static inline long carrel_get_long(CURL *easy, CURLINFO info) { long value = 0; curl_easy_getinfo(easy, info, &value); return value; }
static inline curl_off_t carrel_get_offset(CURL *easy, CURLINFO info) { curl_off_t value = 0; curl_easy_getinfo(easy, info, &value); return value; }

static inline CURLMcode carrel_multi_set_long(CURLM *multi, CURLMoption option, long value) { return curl_multi_setopt(multi, option, value); }

// A message's result lies in a union.
static inline CURLcode carrel_message_result(const CURLMsg *message) { return message->data.result; }

// Macros with casts or alternatives in them.
static const long carrel_AUTH_BASIC = CURLAUTH_BASIC;
static const long carrel_AUTH_DIGEST = CURLAUTH_DIGEST;
static const int carrel_PAUSE_CONT = CURLPAUSE_CONT;
static const size_t carrel_READ_PAUSE = CURL_READFUNC_PAUSE;
static const size_t carrel_READ_ABORT = CURL_READFUNC_ABORT;
static const size_t carrel_WRITE_PAUSE = CURL_WRITEFUNC_PAUSE;
static const int carrel_PREREQ_OK = CURL_PREREQFUNC_OK;
static const int carrel_PREREQ_ABORT = CURL_PREREQFUNC_ABORT;
static const long carrel_MULTIPLEX = CURLPIPE_MULTIPLEX;
static const long carrel_HTTP_2TLS = CURL_HTTP_VERSION_2TLS;
static const long carrel_TLS_1_2 = CURL_SSLVERSION_TLSv1_2;
static const long carrel_TLS_1_2_ONLY = CURL_SSLVERSION_TLSv1_2 | CURL_SSLVERSION_MAX_TLSv1_2;
static const curl_socket_t carrel_SOCKET_BAD = CURL_SOCKET_BAD;

#endif
