import CSSH2

/// Asks a server that says nothing whether it is there: that keeps ways open that forget what is silent, and shows
/// those that are dead.
struct SSHKeepAlive {
    private let interval: Duration
    /// When something was asked last.
    private var asked = ContinuousClock.now
    /// Questions since something came.
    private(set) var unanswered = 0
    private var questions = 0

    /// Questions without an answer after which nobody is there.
    static let maxCount = 3
    /// libssh2 keeps the answers, and looks through them with each packet; beyond these it asks for none, and the
    /// system alone finds out.
    private static let maxAnswers = 1000

    init(interval: Duration) { self.interval = max(.seconds(2), interval) }

    enum Step: Equatable {
        case wait(until: ContinuousClock.Instant)
        case ask(wantsAnswer: Bool)
        case giveUp
    }

    /// What to do now.
    ///
    /// - Parameter isWaitedFor: Whether somebody waits for the server: then how long that takes is decided elsewhere.
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
