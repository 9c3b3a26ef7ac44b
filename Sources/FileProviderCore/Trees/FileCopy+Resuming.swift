package import Foundation

extension FileCopy {
    /// Bytes at an end of a file to compare before it is taken for a finished copy.
    private static let proof: Int64 = 64 << 10

    /// Copies the file to `destination`. A copy that stops leaves its part, and the next copy of the same version of
    /// the source continues there.
    ///
    /// A file without a validator is copied whole: nothing would prove that a part belongs to it. So is a file whose
    /// validator is only a date (``FileReaderAttributes/validatorDate``) that is less than two seconds old by this
    /// machine's clock when the copy begins: the next version may get the same date. So is every file to a target
    /// without ``Capabilities/Ability/resumingWrites``.
    ///
    /// - Returns: Nil if an earlier copy had finished the file: it has the size, the date and the last 64 KiB of the
    ///   source. On a target that sets the times of files itself, it is newer than the source and has its first and
    ///   last 64 KiB.
    /// - Throws: As ``write(to:of:options:progress:)``.
    public func resume(
        to destination: ProviderPath, of target: any FileProviderReadWrite, options: WriteOptions,
        progress: ProgressReporter = ProgressReporter()
    ) async throws -> Outcome? {
        let start = Date()
        return try await withReader { reader in
            if let existing = try await target.itemIfAny(path: destination) {
                if try await isFinished(existing, of: target, reader) { return nil }
                if !options.overwrite { throw FileError.make(.fileWriteFileExists, path: destination) }
                if existing.isDirectory { throw FileError.isADirectory(destination, writing: true) }
            }
            var options = options
            options.resumption = try await identity(of: reader, at: start)
            return try await write(reader, to: destination, of: target, options, progress)
        }
    }

    /// The same in every run for one version of one source; nil for a source whose version nothing tells for certain.
    ///
    /// - Parameter start: When the copy began.
    private func identity(of reader: any FileReader, at start: Date) async throws -> String? {
        let attributes = try await reader.attributes()
        guard let validator = attributes.validator, attributes.namesOneVersion(at: start) else { return nil }
        return "\(source.url(of: path).withoutSecrets.absoluteString)\u{0}\(attributes.size)\u{0}\(validator)"
    }

    private func isFinished(_ existing: FileObject, of target: any FileProviderReadWrite, _ reader: any FileReader)
        async throws -> Bool
    {
        let size = try await reader.attributes().size
        guard existing.isRegularFile, existing.size == size, let listed else { return false }
        let keepsTimes = try await target.capabilities().has(.settingModificationDate)
        guard listed.mayBeFinished(as: existing, keepsTimes: keepsTimes) else { return false }
        let tail = max(0, size - Self.proof)..<size
        // A time that is only newer proves less than one that was set.
        for part in keepsTimes ? [tail] : [0..<min(Self.proof, size), tail] {
            let ours = try await target.contents(path: existing.path, part: .range(part))
            if try await reader.read(part) != ours { return false }
        }
        return true
    }
}

extension FileReaderAttributes {
    /// The age in seconds from which no later version gets the same date: the coarsest times that storages keep are of
    /// two seconds.
    private static let settledAge = 2.0

    /// Whether the validator of a file that is read from `time` on belongs to one version alone.
    package func namesOneVersion(at time: Date) -> Bool {
        guard let validatorDate else { return validator != nil }
        return time.timeIntervalSince(validatorDate) >= Self.settledAge
    }
}

extension FileObject {
    /// Whether the time of `copy` fits a finished copy of this file: the same second; or a later time on a storage that
    /// sets the times of files itself.
    func mayBeFinished(as copy: FileObject, keepsTimes: Bool) -> Bool {
        guard let date = modifiedDate, let own = copy.modifiedDate else { return false }
        return abs(date.timeIntervalSince(own)) < 1 || !keepsTimes && own > date
    }
}

extension FileProviderBasic {
    /// Returns the item at `path`; nil if there is none.
    func itemIfAny(path: ProviderPath) async throws -> FileObject? {
        do { return try await attributesOfItem(path: path) } catch let error where error.isNoSuchFile { return nil }
    }
}
