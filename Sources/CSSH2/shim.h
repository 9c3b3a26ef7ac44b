// libssh2, and calls of Linux that Foundation's Glibc module does not show.
#ifndef CARREL_CSSH2_SHIM_H
#define CARREL_CSSH2_SHIM_H

#if !__has_include(<libssh2.h>)
#error "Carrel needs libssh2. On Debian and Ubuntu: sudo apt-get install libssh2-1-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <libssh2.h>
#include <malloc.h>

/// What libssh2 calls for the bytes of a connection; its own names for these types are macros.
typedef ssize_t (*carrel_ssh2_receive)(libssh2_socket_t socket, void *buffer, size_t length, int flags, void **abstract);
typedef ssize_t (*carrel_ssh2_send)(libssh2_socket_t socket, const void *buffer, size_t length, int flags, void **abstract);
typedef void (*carrel_ssh2_disconnect)(
    LIBSSH2_SESSION *session, int reason, const char *message, int message_length, const char *language, int language_length,
    void **abstract);

/// libssh2_session_callback_set(3) takes any function as an object pointer, which Swift has no conversion for.
static inline void carrel_ssh2_set_callbacks(
    LIBSSH2_SESSION *session, carrel_ssh2_receive receive, carrel_ssh2_send send, carrel_ssh2_disconnect disconnect) {
    libssh2_session_callback_set(session, LIBSSH2_CALLBACK_RECV, (void *)receive);
    libssh2_session_callback_set(session, LIBSSH2_CALLBACK_SEND, (void *)send);
    libssh2_session_callback_set(session, LIBSSH2_CALLBACK_DISCONNECT, (void *)disconnect);
}

#endif
