import FileProviderCore

extension FTPPool {
    struct State {
        var idle: [FTPSession] = []
        /// Those lent, those idle, and those being opened.
        var count = 0
        /// Those whose transfer waits for its own sink or source, which may be another's of this pool: they do not
        /// count, or a download that feeds an upload would keep the connection that this one waits for.
        var held: Set<ObjectIdentifier> = []
        /// How many there may be in all: as many as the server takes.
        var cap: Int
        var limitedUntil: ContinuousClock.Instant?
        /// Whether somebody finds out whether the login is good; the others wait, or a wrong password would be tried
        /// many times.
        var isTrying = false
        var hasLoggedIn = false
        /// Why the last try failed, and how many did.
        var failure: (any Error)?
        var failures = 0
        var waiters: [FTPWaiter] = []
        /// Those lent to uploads.
        var uploads: [ObjectIdentifier: Upload] = [:]
        /// Those being opened for uploads.
        var openingUploads = 0
        /// When one was given back last.
        var lastReturn: ContinuousClock.Instant?
        /// When one was closed last: the server may count it for a moment longer.
        var lastDrop: ContinuousClock.Instant?
        var parked: [(id: ObjectIdentifier, evict: @Sendable () -> Void)] = []
        /// Those lent, and those being opened.
        var lent: [FTPSession] = []
        /// Counts the times that everything was closed.
        var closings = 0
        var isReaping = false
    }

    struct Upload {
        /// Ends it for the sake of another; nil where it cannot be begun anew.
        var end: (@Sendable () -> Void)?
        var isEnding = false
    }
}

extension FTPPool.State {
    /// Why nobody is logged in, where that was found out after so many failures.
    func failure(since failures: Int) -> (any Error)? { hasLoggedIn || failures == self.failures ? nil : failure }

    /// Whether one more may be lent to an upload: while uploads wait for their sources, one is left for whoever reads
    /// those.
    func mayLend(forUpload isUpload: Bool) -> Bool {
        !isUpload || uploads.count + openingUploads < max(1, cap - 1) || !uploads.keys.contains(where: held.contains)
    }

    mutating func lend(_ session: FTPSession, forUpload isUpload: Bool) {
        lent.append(session)
        if isUpload { uploads[ObjectIdentifier(session)] = FTPPool.Upload() }
    }

    mutating func takeBack(_ session: FTPSession) {
        lent.removeAll { $0 === session }
        held.remove(ObjectIdentifier(session))
        uploads[ObjectIdentifier(session)] = nil
        lastReturn = .now
    }

    /// The one that has waited longest of those that may have a connection; it waits no more.
    mutating func nextWaiter() -> FTPWaiter? {
        waiters.firstIndex { mayLend(forUpload: $0.isUpload) }.map { waiters.remove(at: $0) }
    }

    /// What ends an upload that waits for its source, when nothing gets on any more: all connections are such, and
    /// somebody waits for one, perhaps to read the source.
    mutating func endUpload() -> (@Sendable () -> Void)? {
        guard cap > 1, count >= cap, uploads.count == count, waiters.contains(where: { !$0.isUpload }) else {
            return nil
        }
        guard uploads.keys.allSatisfy(held.contains), !uploads.values.contains(where: \.isEnding) else { return nil }
        guard let (id, upload) = uploads.first(where: { $0.value.end != nil }) else { return nil }
        uploads[id]?.isEnding = true
        return upload.end
    }

    mutating func wakeOne() {
        while let waiter = nextWaiter() { if waiter.wake() { return } }
    }

    mutating func wakeAll() {
        for waiter in waiters { _ = waiter.wake() }
        waiters = []
    }
}
