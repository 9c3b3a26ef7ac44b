import FileProviderConformance

/// What servers do not keep, each with its reason. Found by running the kit; the run fails when one of them is kept.
enum KnownServerFailures {
    static func of(_ program: String) -> [Conformance.KnownFailure] {
        switch program {
        case "Apache": mixtures
        case "nginx": hiddenNames
        case "rclone": lateUploads + spoilt + rewrittenNames
        case "lighttpd": pathInformation + rememberedSizes
        case "WsgiDAV": destinations + vanished
        case "moto": twoSteps
        default: []
        }
    }

    static func ofSFTP(_ program: String) -> [Conformance.KnownFailure] {
        program == "rclone" ? rewrittenNames + reopened : []
    }

    /// rclone's own spelling of control characters, as its encoding of local names has it.
    private static let rewrittenNames = [
        "␁␂␃␄␅␆␇␈", "tab␉here", "line␊feed", "vertical␋tab", "form␌feed", "carriage␍return", "␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟",
        "del␡ete",
        "␉leading tab", "trailing tab␉", "␊leading line", "trailing line␊", "␋leading", "trailing␋", "␍leading return",
        "trailing return␍",
    ].flatMap { name in
        ["file", "folder"].map { kind in
            Conformance.KnownFailure(
                "names: A \(kind) called “\(name)” keeps its name or is refused",
                reason:
                    "rclone puts a visible character in the place of each control character when it reads the folder again",
                isOccasional: true)
        }
    }

    private static let reopened =
        [
            Conformance.KnownFailure(
                "replacing: Readers see the old file or the new one, never a part",
                reason: "rclone reads on in the new file, whose size and time in whole seconds are the old one's",
                message: "a mixture",
                isOccasional: true)
        ]
        + [
            "replacing: A folder with content is never replaced by a file",
            "copying: With overwrite a copy never replaces a folder with content",
        ].map {
            Conformance.KnownFailure(
                $0,
                reason:
                    "rclone refuses to remove a folder that is not empty, and takes it for removed until it reads the one above anew",
                message: "does not exist", isOccasional: true)
        }

    private static let twoSteps = [
        Conformance.KnownFailure(
            "replacing: Of eight writers of a new file exactly one wins",
            reason: "moto looks whether there is an object, and makes it in a second step",
            message: "Expected exactly one of eight writers",
            isOccasional: true)
    ]

    private static let hiddenNames = [".hidden", "..."].flatMap { name in
        ["file", "folder"].map { kind in
            Conformance.KnownFailure(
                "names: A \(kind) called “\(name)” keeps its name",
                reason: "nginx leaves names with a leading dot out of its listings",
                message: "expected the listing “\(name)”, but it was")
        }
    }

    private static let mixtures = [
        Conformance.KnownFailure(
            "replacing: Readers see the old file or the new one, never a part",
            reason:
                "Apache answers with the size of the old file and the bytes of the new one when it is replaced between its two looks",
            message: "a mixture of", isOccasional: true)
    ]

    private static let pathInformation = [
        Conformance.KnownFailure(
            "errors: Looking below a file fails",
            reason: "lighttpd serves a file under every name below it, unless configured not to",
            message: "expected an error, but it succeeded")
    ]

    /// lighttpd's `server.stat-cache-engine` keeps what it knows of a file for a second.
    private static let rememberedSizes = [
        Conformance.KnownFailure(
            "writing: What a replacing write returns is there",
            reason:
                "lighttpd promises the size that a file had a second ago, and ends the connection where the new file is shorter",
            message: "closed the connection", isOccasional: true)
    ]

    /// WsgiDAV decodes a destination before it takes it apart as a URL.
    private static let destinations = [
        "names: A file called “a;b” keeps its name", "names: A folder called “a;b” keeps its name",
        "names: An item can be renamed to a hostile name and copied from it",
    ].map {
        Conformance.KnownFailure(
            $0, reason: "WsgiDAV cuts a destination at its semicolon", message: "This server would keep")
    }

    /// Every behaviour in which many write and look at once.
    private static let vanished = [
        "concurrency: Fifty tasks write, list, read, move, copy and remove in one folder",
        "concurrency: Twenty tasks read and write at once", "concurrency: Listing goes on while others write",
    ].map {
        Conformance.KnownFailure(
            $0, reason: "WsgiDAV answers 500 when a file vanishes while it is at work on it",
            message: "HTTP 500 Internal Server Error", isOccasional: true)
    }

    /// Every behaviour in which an upload breaks off.
    private static let lateUploads = [
        "sources: A source that fails leaves nothing, and its error arrives",
        "sources: A source that fails at once leaves nothing",
        "sources: A source that fails keeps the old file",
        "sources: A source shorter than it said fails and leaves nothing",
        "sources: A source longer than it said fails and leaves nothing",
        "sources: A source of another length than it said keeps the old file",
        "sources: A cancelled write ends, and leaves nothing",
        "sources: A cancelled write ends although its source has stalled",
        "sources: A cancelled write keeps the old file",
        "completion: With handlers, cancelling at once gives userCancelled or the result",
        "cancellation: Writing with a handler, cancelled at random points, ends once, done or undone",
        "cancellation: Sending with a handler, cancelled at random points, ends once, done or undone",
    ].map {
        Conformance.KnownFailure(
            $0,
            reason:
                "rclone brings the part of a broken upload to light when the client's clean-up is over, up to seconds later",
            message: "expected no temporary names, but", isOccasional: true)
    }

    /// Every behaviour that lists a folder while names go away in it.
    private static let spoilt = [
        "concurrency: Fifty tasks write, list, read, move, copy and remove in one folder",
        "concurrency: Twenty tasks read and write at once", "concurrency: Listing goes on while others write",
    ].map {
        Conformance.KnownFailure(
            $0, reason: "rclone appends an error's text to a listing when a file vanishes while it is made",
            message: "This is not well-formed XML", isOccasional: true)
    }
}
