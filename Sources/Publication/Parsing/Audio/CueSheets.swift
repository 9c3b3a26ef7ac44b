import Archives
import FileProviderCore
import Foundation
import MediaTags

/// The cue sheets beside the tracks of an audiobook.
struct CueSheets {
    private static let maxCount = 100

    let fetcher: any Fetcher
    let warnings: WarningLog

    /// Returns the cue sheet with the same name beside the single file `file`; nil if none can be read.
    ///
    /// - Throws: `CancellationError`.
    /// - Complexity: One request.
    func beside(_ file: ListedFile) async throws -> CueSheet? {
        let href = HREF.encode(file.title + ".cue")
        do {
            return try await fetcher.dataIfPresent(href, limit: CueSheet.maxSize).map { CueSheet(guessing: $0) }
        } catch {
            if error.isCancellation { throw error }
            return nil
        }
    }

    /// Adds chapters from the sheets among `files` to the tracks in `tracks` that have none.
    ///
    /// - Returns: The only sheet, if there is one.
    /// - Throws: Errors of the storage.
    func add(_ files: [ListedFile], to tracks: inout [AudioTrack]) async throws -> CueSheet? {
        var sheets: [CueSheet] = []
        for file in files.filter({ $0.fileExtension == "cue" }).prefix(Self.maxCount) {
            let data = try await ContentErrors.passOver {
                try await fetcher.data(file.link.href, limit: CueSheet.maxSize)
            }
            guard let data else {
                warnings.warn(
                    "damaged-playlist", severity: .moderate,
                    message: "The cue sheet “\(file.path)” cannot be read; its chapters were left out.")
                continue
            }
            let sheet = CueSheet(guessing: data)
            sheets.append(sheet)
            apply(sheet, named: file, to: &tracks)
        }
        return sheets.count == 1 ? sheets.first : nil
    }

    private func apply(_ sheet: CueSheet, named file: ListedFile, to tracks: inout [AudioTrack]) {
        let folder = String(file.path.dropLast(file.name.count))
        for part in sheet.files {
            guard let track = Self.track(part.name, of: sheet, stem: file.stem, in: folder, tracks),
                tracks[track].description.chapters.isEmpty, tracks[track].description.chapterTrack == nil
            else { continue }
            tracks[track].description.use(part.chapters)
        }
    }

    /// The track that a sheet calls `name`: the file of that name in the sheet's folder, else one with another
    /// extension, since the sound may have been converted; else the track that is named as the sheet is.
    private static func track(
        _ name: String, of sheet: CueSheet, stem: String, in folder: String, _ tracks: [AudioTrack]
    ) -> Int? {
        let path = folder + name.replacing("\\", with: "/")
        if let exact = tracks.firstIndex(where: { $0.file.path == path }) { return exact }
        let wanted = ListedFile(Link(href: HREF.encode(path)))
        let beside = tracks.indices.filter { tracks[$0].file.path.hasPrefix(folder) }
        if let alike = beside.first(where: { tracks[$0].file.stem == wanted.stem }) { return alike }
        guard sheet.files.count == 1 else { return nil }
        return beside.first { tracks[$0].file.stem == stem } ?? (tracks.count == 1 ? 0 : nil)
    }
}

extension CueSheet {
    /// Reads a sheet in UTF-8 or UTF-16, else in the encoding in which its words make most sense: programs for Windows
    /// write sheets in the encoding of the user's language.
    fileprivate init(guessing data: Data) {
        let bytes = Array(data)
        let isUTF16 = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
        if isUTF16 || String(validating: bytes, as: UTF8.self) != nil {
            self.init(data: data)
            return
        }
        let words = bytes.split { [UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\"")].contains($0) }
        let encoding = NameEncodingGuess(words.map { Array($0) }).encoding()
        if encoding != .codePage437, let text = NameDecoder(encoding)?.text(of: bytes) {
            self.init(text)
        } else {
            self.init(data: data)
        }
    }
}
