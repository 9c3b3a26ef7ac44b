// What a PDF file says of itself through libqpdf, which reads by calling back.
#ifndef CARREL_CPDF_H
#define CARREL_CPDF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The unit of reading, in bytes: every read is for one block, which starts at a multiple of it.
enum { carrel_pdf_block = 32768 };

/// Reads the block at `offset` into `buffer`; fewer bytes than a block only at the file's end. -1 stops all reading.
typedef long (*carrel_pdf_read)(void *context, long long offset, void *buffer, size_t count);

/// Has the blocks with the bytes at `offsets` loaded at once, as far as they can be kept: a hint.
typedef void (*carrel_pdf_prefetch)(void *context, const long long *offsets, size_t count);

/// A text that the document has about itself.
enum carrel_pdf_text {
    carrel_pdf_title,
    carrel_pdf_author,
    carrel_pdf_subject,
    carrel_pdf_keywords,
    carrel_pdf_created,
    carrel_pdf_modified,
    carrel_pdf_language,
    /// The two parts of the trailer's `/ID`: bytes, no text.
    carrel_pdf_first_id,
    carrel_pdf_second_id,
    /// The catalog's metadata stream, unpacked.
    carrel_pdf_xmp,
    /// The address that relative addresses count from.
    carrel_pdf_base
};

/// What was wrong and could be helped, as bits.
enum carrel_pdf_problem {
    /// The table of objects was made anew from the whole file, or an object was found damaged.
    carrel_pdf_repaired = 1,
    /// The document claims another number of pages than it has.
    carrel_pdf_miscounted = 2,
    /// A part of the tree of pages is missing or contains itself.
    carrel_pdf_pages_damaged = 4,
    /// The outline is longer or deeper than what is read.
    carrel_pdf_outline_cut = 8,
    /// A part of the outline is missing or contains itself.
    carrel_pdf_outline_damaged = 16,
    /// The information dictionary or the metadata stream cannot be read.
    carrel_pdf_metadata_damaged = 32
};

/// How a call ended.
enum carrel_pdf_result {
    carrel_pdf_done,
    /// It is no PDF file, or damaged beyond help.
    carrel_pdf_damaged,
    /// It takes a password.
    carrel_pdf_locked,
    /// It would take more bytes, memory, time or nesting than is granted.
    carrel_pdf_too_large,
    /// The read or the write callback said so.
    carrel_pdf_stopped,
    /// There is no such page.
    carrel_pdf_no_page
};

/// One page. Boxes are left, bottom, right, top in units of `unit` / 72 inch; the crop box lies within the media box.
struct carrel_pdf_page {
    double media[4];
    double crop[4];
    /// 0, 90, 180 or 270 degrees clockwise.
    int rotation;
    double unit;
    /// 1 where the page has no usable box; it is US Letter then, as many readers assume.
    int is_assumed;
};

/// What an item of the outline leads to besides pages.
enum carrel_pdf_link {
    carrel_pdf_link_none,
    /// An address on the web, as written (ISO 32000-1, section 12.6.4.7).
    carrel_pdf_link_address,
    /// Something that readers do, by its name: `NextPage` (section 12.6.4.11).
    carrel_pdf_link_action
};

/// An item of the outline. Texts are UTF-8, not closed by NUL.
struct carrel_pdf_item {
    int depth;
    const char *title;
    size_t title_count;
    /// The index of a page, from 0; -1 for none.
    long page;
    enum carrel_pdf_link kind;
    const char *link;
    size_t link_count;
};

/// What is not text.
struct carrel_pdf_facts {
    /// Pages found; where their tree lies all over the file and nothing asks for more of it, pages claimed.
    long page_count;
    /// Bits of `carrel_pdf_problem`.
    unsigned problems;
    int is_right_to_left;
    /// Zeroes where there is no page.
    struct carrel_pdf_page first_page;
};

/// Where results go. All are called on the caller's thread, before the function returns.
struct carrel_pdf_sink {
    void *context;
    carrel_pdf_read read;
    carrel_pdf_prefetch prefetch;
    /// How long a call may work, in seconds, without waiting for blocks.
    double seconds;
    /// Text is UTF-8, not closed by NUL.
    void (*text)(void *context, enum carrel_pdf_text kind, const char *bytes, size_t count);
    /// One item of the outline, parents before their children.
    void (*outline)(void *context, const struct carrel_pdf_item *item);
    void (*page)(void *context, const struct carrel_pdf_page *page);
    /// The next bytes of a document that is written; anything but 0 stops.
    int (*write)(void *context, const void *bytes, size_t count);
};

/// Reads what a document of `length` bytes says of itself; only the blocks that this takes, unless the file is damaged.
enum carrel_pdf_result carrel_pdf_describe(long long length, const struct carrel_pdf_sink *sink, struct carrel_pdf_facts *facts);

/// Gives `count` pages from the one with the index `first` on, from 0; fewer when there are no more.
enum carrel_pdf_result carrel_pdf_pages(long long length, long first, long count, const struct carrel_pdf_sink *sink);

/// Writes a document that consists of the page with the index `index`, from 0: only the blocks that this takes are read.
enum carrel_pdf_result carrel_pdf_extract(long long length, long index, const struct carrel_pdf_sink *sink);

#ifdef __cplusplus
}
#endif

#endif
