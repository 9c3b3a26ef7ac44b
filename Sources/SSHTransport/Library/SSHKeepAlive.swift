import CSSH2

/// Sends requests to a silent server: they keep connections open through devices that forget idle ones, and show that a
/// connection is dead.
struct SSHKeepAlive {
    private let interval: Duration
    /// When the last request was sent.
    private var asked = ContinuousClock.now
    /// Requests since something last arrived.
    private(set) var unanswered = 0
    private var questions = 0

    /// The number of unanswered requests after which the connection is dead.
    static let maxCount = 3
    /// libssh2 keeps the replies, and searches them for each packet. After this many requests it sends none; then only
    /// the system can notice a dead connection.
    private static let maxAnswers = 1000

    init(interval: Duration) { self.interval = max(.seconds(2), interval) }

    enum Step: Equatable {
        case wait(until: ContinuousClock.Instant)
        case ask(wantsAnswer: Bool)
        case giveUp
    }

    /// The next step.
    ///
    /// - Parameter isWaitedFor: Whether a caller waits for the server. Then another time-out applies.
    mutating func step(_ now: ContinuousClock.Instant, lastReceived: ContinuousClock.Instant, isWaitedFor: Bool) -> Step
    {
        if lastReceived > asked || isWaitedFor { unanswered = 0 }
        let due = max(lastReceived, asked) + interval
        if now < due { return .wait(until: due) }
        if unanswered >= Self.maxCount { return .giveUp }
        asked = now
        questions += 1
        let wantsAnswer = questions <= Self.maxAnswers
        if wantsAnswer { unanswered += 1 }
        return .ask(wantsAnswer: wantsAnswer)
    }
}
