/// Finds the word that a mistyped word probably means.
enum NearestWord {
    /// Returns the one of `words` with the fewest typing errors to `word`: an extra, missing, wrong or transposed
    /// letter.
    ///
    /// - Returns: `nil` if none is close: one error for a word of up to three letters, two for longer ones.
    static func of(_ word: String, among words: [String]) -> String? {
        let maxDistance = word.count < 4 ? 1 : 2
        return words.map { (slips(Array(word), Array($0)), $0) }.filter { $0.0 <= maxDistance }.min { $0 < $1 }?.1
    }

    /// The optimal string alignment distance.
    private static func slips(_ one: [Character], _ other: [Character]) -> Int {
        var rows = [Array(0...other.count)]
        for (i, character) in one.enumerated() {
            var row = [i + 1]
            for (j, wanted) in other.enumerated() {
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (character == wanted ? 0 : 1))
                if i > 0, j > 0, character == other[j - 1], one[i - 1] == wanted {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
