import Foundation
import WebServer

/// The page that asks for the server's token.
enum TokenForm {
    private static let field = "token"

    static func answer(wasWrong: Bool) -> ServerResponse {
        let note = wasWrong ? "<p role=\"alert\">This token is not the right one.</p>" : ""
        let page = """
            <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Token</title>
            <meta name="viewport" content="width=device-width"></head><body><main><h1>This book is protected by a token.</h1>\(note)
            <form method="post"><label>Token <input type="password" name="\(field)" required autofocus></label>
            <button>Open</button></form></main></body></html>
            """
        var answer = ServerResponse(
            status: wasWrong ? 403 : 200, headers: ContentPolicy.form(), body: .data(Data(page.utf8)))
        answer.set("Content-Type", "text/html; charset=utf-8")
        return answer
    }

    /// The token in the body of a sent form (application/x-www-form-urlencoded); empty if there is none.
    static func token(in body: Data) -> String { RequestForm(body).value(field) ?? "" }
}
