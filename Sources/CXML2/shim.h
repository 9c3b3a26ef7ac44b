// libxml2: the push parser, its SAX2 interface and the table of HTML entities.
#ifndef CARREL_CXML2_SHIM_H
#define CARREL_CXML2_SHIM_H

#if !__has_include(<libxml/xmlversion.h>)
#error "Carrel needs libxml2, and pkg-config to find it. On Debian and Ubuntu: sudo apt-get install libxml2-dev pkg-config (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <libxml/xmlversion.h>
/// Some builds of libxml2 show the types of ICU, which clash with Foundation's own copy of ICU. They occur only in two
/// pointers at the end of xmlCharEncodingHandler, which nobody here looks into.
#undef LIBXML_ICU_ENABLED

#include <libxml/HTMLparser.h>
#include <libxml/encoding.h>
#include <libxml/globals.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

/// What libxml2 does on this thread with messages that belong to no parser.
struct carrel_xml_reporting {
    xmlGenericErrorFunc generic;
    void *generic_context;
    xmlStructuredErrorFunc structured;
    void *structured_context;
};

static void carrel_xml_ignore(void *context, const char *message, ...) { (void)context, (void)message; }
static void carrel_xml_ignore_error(void *context, xmlErrorPtr error) { (void)context, (void)error; }

/// Drops such messages, which would go to standard error, and returns what was set before. The type of a function that
/// reports is variadic, which Swift cannot make.
static inline struct carrel_xml_reporting carrel_xml_mute(void) {
    struct carrel_xml_reporting saved = {
        xmlGenericError, xmlGenericErrorContext, xmlStructuredError, xmlStructuredErrorContext};
    xmlSetGenericErrorFunc(NULL, carrel_xml_ignore);
    xmlSetStructuredErrorFunc(NULL, carrel_xml_ignore_error);
    return saved;
}

static inline void carrel_xml_unmute(struct carrel_xml_reporting saved) {
    xmlSetGenericErrorFunc(saved.generic_context, saved.generic);
    xmlSetStructuredErrorFunc(saved.structured_context, saved.structured);
}

#endif
