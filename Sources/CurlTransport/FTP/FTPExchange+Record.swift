import FileProviderCore

extension FTPExchange {
    /// The exchange and the reply codes, for the log. Leaves out the text of replies, which may repeat what was sent,
    /// and the arguments of a login.
    func record(_ outcome: FTPOutcome, server: FTPServer, isConnecting: Bool) -> RequestRecord {
        let codes = outcome.replies.filter { $0.code >= 200 }.map { reply in
            reply.verb.isEmpty ? "\(reply.code)" : "\(LogText.shown(reply.verb)) \(reply.code)"
        }
        let (operation, item) = isConnecting ? ("connect", "") : subject
        return RequestRecord(
            operation, of: item, host: "\(server.host):\(server.port)",
            status: codes.isEmpty ? nil : codes.joined(separator: ", "))
    }

    /// The most important command, which is the last.
    private var subject: (operation: String, item: String) {
        switch transfer {
        case .retrieve(let path, _, _, _): ("RETR", Secrets.shown(argument: path, of: "RETR"))
        case .store(let path, _, _, .append): ("APPE", Secrets.shown(argument: path, of: "APPE"))
        case .store(let path, _, _, _): ("STOR", Secrets.shown(argument: path, of: "STOR"))
        case .list(let command): command.shown
        case .none: (commands.last ?? look?.command)?.shown ?? ("", "")
        }
    }
}

extension FTPCommand {
    fileprivate var shown: (operation: String, item: String) { (verb, Secrets.shown(argument: argument, of: verb)) }
}

extension FTPOutcome {
    /// Counts replies, and the data of a file that was sent without libcurl.
    var tally: TransferTally { TransferTally(requests: Int64(replies.count { $0.code >= 200 }), bytesOut: bytes) }
}
