import WebServer

/// The form to log in.
enum LoginPage {
    private static let template = PageFile(PackageResources.login_html)

    /// Answers with the form, which is sent to `login` with the fields `name`, `password`, `next` and `token`.
    ///
    /// - Parameters:
    ///   - next: Where to go after it, a path below the base.
    ///   - name: What is in the field for the name.
    ///   - sentence: What was wrong; nil for the first attempt.
    static func make(
        for request: ServerRequest, next: String, name: String, sentence: String?, status: Int, _ context: ShelfContext
    ) -> ServerResponse {
        let problem = sentence.map { sentence -> HTML in
            "<p class=\"problem\" role=\"alert\">\(sentence)</p>"
        }
        let focus: HTML = " autofocus"
        let content = template.filled(with: [
            "base": "\(context.base)", "problem": problem ?? "", "name": "\(name)", "next": "\(next)",
            "token": "\(context.formToken)", "name-focus": name.isEmpty ? focus : "",
            "password-focus": name.isEmpty ? "" : focus,
        ])
        var answer = PageFrame(context: context, title: "Log in").answer(content, status: status, for: request)
        answer.set("Cache-Control", "no-store")
        return answer
    }
}
