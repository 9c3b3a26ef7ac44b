import Archives
public import FileProviderCore
public import Foundation

extension LicensePackage {
    /// Downloads the publication of `license` to `path`, with the licence in the package.
    ///
    /// The length and the SHA-256 hash of the link `publication` are checked before the package gets its name. LCP 1.0
    /// calls the hash Base64 and writes it in hexadecimal; both forms are accepted, and those in hexadecimal in either
    /// case.
    ///
    /// - Parameters:
    ///   - path: A name in a folder that exists.
    ///   - overwrite: Whether a file at `path` may be replaced.
    ///   - resumes: Whether a download that stops leaves its part beside `path`, for the next call with the same licence
    ///     and path to continue it, even in another process. Applies if `provider` has
    ///     ``/FileProviderCore/Capabilities/Ability/resumingWrites``. The package is downloaded there before the licence
    ///     is put in, so it takes twice its size for a moment. If false, a failed or cancelled call leaves nothing.
    ///   - progress: Counts bytes.
    /// - Returns: The attributes of the package.
    /// - Throws: ``LCPProblem`` of the kinds `noPublicationLink`, `damagedDownload` for a publication that is not the
    ///   link's or is no package, and `invalidLicense` for a hash that is not one; those of
    ///   ``LicenseTrust/validate(_:)``; errors of both storages, as of
    ///   ``/FileProviderCore/FileProviderReadWrite/writeContents(path:from:options:)``.
    /// - Complexity: One request for the end of the publication, and one for all of it, which are two downloads on a
    ///   server without ranges. With `resumes`, one request for all of it. Holds its directory in memory, at most
    ///   64 MiB.
    @discardableResult
    public func acquire(
        _ license: LicenseDocument, to path: ProviderPath, of provider: any FileProvider, overwrite: Bool = false,
        resumes: Bool = false, progress: ProgressReporter = ProgressReporter()
    ) async throws -> FileObject {
        try await trust.validate(license)
        let link = try PublicationLink(of: license)
        let source = try await registry.location(of: link.url, options: connection)
        let write = PackageWrite(
            license: license, link: link, path: path, provider: provider, overwrite: overwrite)
        if !resumes {
            return try await source.provider.withReader(path: source.path) {
                try await write.run(from: $0, progress: progress)
            }
        }
        try await write.checkFree()
        let part = try TemporaryName.make(beside: path, for: link.identity)
        try await download(source, to: part, of: provider, link, progress)
        do {
            // The bytes were counted when they arrived.
            let package = try await provider.withReader(path: part) {
                try await write.run(from: $0, progress: ProgressReporter())
            }
            await remove(part, of: provider)
            return package
        } catch let problem as LCPProblem {
            await remove(part, of: provider)
            throw problem
        }
    }

    /// Starts ``acquire(_:to:of:overwrite:resumes:progress:)`` and returns its progress in bytes.
    ///
    /// Cancelling the `Progress` stops the download.
    ///
    /// - Parameter completionHandler: Called once, on a private serial queue; with `CocoaError(.userCancelled)` if the
    ///   download was cancelled.
    @discardableResult
    public func acquire(
        _ license: LicenseDocument, to path: ProviderPath, of provider: any FileProvider, overwrite: Bool = false,
        resumes: Bool = false, completionHandler: @escaping @Sendable (Result<FileObject, any Error>) -> Void
    ) -> Progress {
        let source = license.link("publication")?.url()?.withoutSecrets.absoluteString ?? ""
        return CompletionForm.start(
            .copy(source: source, destination: path.string), of: provider, kind: .downloading, unitCount: 0,
            body: { progress in
                try await acquire(
                    license, to: path, of: provider, overwrite: overwrite, resumes: resumes, progress: progress)
            }, completion: completionHandler)
    }

    /// Downloads to `part`, from where an earlier download stopped. Its bytes are checked when they are read again.
    private func download(
        _ source: ProviderLocation, to part: ProviderPath, of provider: any FileProvider, _ link: PublicationLink,
        _ progress: ProgressReporter
    ) async throws {
        do {
            let earlier = try await provider.attributesOfItem(path: part)
            // Only the hash proves that it is the publication.
            if earlier.isRegularFile, link.hash != nil, let size = earlier.size, size == link.length {
                progress.expect(size)
                progress.advance(by: size)
                return
            }
        } catch let error where error.isNoSuchFile {}
        let copy = FileCopy(source.path, of: source.provider)
        _ = try await copy.resume(to: part, of: provider, options: WriteOptions(overwrite: true), progress: progress)
    }

    private func remove(_ part: ProviderPath, of provider: any FileProvider) async {
        // A part that cannot be removed has a name that sweeps recognise.
        await withCancellationShield { try? await provider.removeItem(path: part) }
    }
}

/// One package being written with its licence.
private struct PackageWrite: Sendable {
    let license: LicenseDocument
    let link: PublicationLink
    let path: ProviderPath
    let provider: any FileProvider
    let overwrite: Bool

    /// Refuses a taken name before the download; the write itself decides.
    func checkFree() async throws {
        if overwrite { return }
        do { _ = try await provider.attributesOfItem(path: path) } catch let error where error.isNoSuchFile { return }
        throw FileError.make(.fileWriteFileExists, path: path)
    }

    /// Writes the publication that `reader` has, with the licence in it.
    func run(from reader: any FileReader, progress: ProgressReporter) async throws -> FileObject {
        let addition = try await addition(to: reader)
        let check = link.hash.map { HashCheck($0, of: addition, name: link.name) }
        let options = WriteOptions(overwrite: overwrite, contentType: link.contentType)
        do {
            return try await provider.writeContents(
                path: path, from: TappedSource(addition, check), options: options, progress: progress)
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            throw check?.problem ?? link.damaged("ended too early", error)
        } catch {
            // Storages may report it as their own error.
            throw check?.problem ?? error
        }
    }

    private func addition(to reader: any FileReader) async throws -> ZIPAddition {
        do {
            let appender = try await ZIPAppender(reader)
            if let length = link.length, length != appender.length {
                throw link.damaged("is \(appender.length) bytes long and not \(length), as the licence says")
            }
            guard let place = LicensePlace.path(in: appender.directory, type: link.type) else {
                throw link.damaged("is not the package of a publication")
            }
            return try await appender.adding(license.data, at: place, date: license.date)
        } catch let error as CocoaError where error.isDamage {
            // The length says more than the archive's damage, which may be its consequence.
            let size = try await reader.attributes().size
            if let length = link.length, length != size {
                throw link.damaged("is \(size) bytes long and not \(length), as the licence says", error)
            }
            throw link.damaged("is not a readable package", error)
        }
    }
}
