import Foundation
import SampleBooks

/// Writes a book to try Carrel on: a small one, or one of about 100 MB to measure with.
let usage = """
    usage: sample-book PATH [--epub2 | --large text-first|text-last]
      PATH                 where the book goes; an existing file is replaced
      --epub2              the small book as EPUB 2 instead of EPUB 3
      --large text-first   about 100 MB, the text in front of the images
      --large text-last    about 100 MB, the text behind the images

    """

func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data(message.utf8))
    exit(status)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard let path = arguments.first, !path.hasPrefix("-") else {
    let isHelp = arguments.first == "--help" || arguments.first == "-h"
    if isHelp { print(usage, terminator: "") }
    fail(isHelp ? "" : usage, status: isHelp ? 0 : 64)
}
let url = URL(filePath: path)
do {
    switch arguments.dropFirst() {
    case []: try SampleBook.small(to: url)
    case ["--epub2"]: try SampleBook.small(.epub2, to: url)
    case ["--large", "text-first"]: try SampleBook.large(textFirst: true, to: url)
    case ["--large", "text-last"]: try SampleBook.large(textFirst: false, to: url)
    default: fail(usage, status: 64)
    }
} catch {
    fail("sample-book: \(error.localizedDescription)\n", status: 1)
}
