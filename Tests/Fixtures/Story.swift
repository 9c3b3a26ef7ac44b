/// The text of the sample book.
enum Story {
    struct Chapter {
        var title: String
        var paragraphs: [String]
    }

    static let chapters = [
        Chapter(
            title: "The Desk by the Window",
            paragraphs: [
                "There were forty desks in the long hall, and Ilse had tried them all before she chose the last one, where the shelves end "
                    + "and the window begins. It was narrow, it was scratched, and somebody had once carved a small fish into its edge.",
                "“You will be cold there in winter,” said the keeper of the keys. He said it to everybody, and nobody ever moved.",
                "What she liked was the lamp. It hung on a brass arm that could be drawn down until its light lay on a single page, and "
                    + "when it did, the rest of the hall went away: the ladders, the clock, the forty-first reader who always coughed.",
                "On the first evening she asked for one book and got four, because the keeper did not believe in asking twice.",
            ]),
        Chapter(
            title: "Only the Page You Need",
            paragraphs: [
                "The oldest books were too heavy to carry. They stood where they had always stood, on the far side of the courtyard, and a "
                    + "reader who wanted one had to wait for two porters and a cart.",
                "So the porters had invented a rule. They went across with a slip of paper, opened the great book at its last leaf, where "
                    + "the list of chapters was, and copied that. Then they went for one chapter, and left the rest in peace.",
                "“Why the last leaf?” asked Ilse. “Because,” the older porter said, “whoever binds a book knows where everything is only "
                    + "when he has finished.” He seemed to think that this explained most things.",
                "By the end of the week she had read in eleven books, and the cart had not left its shed.",
            ]),
        Chapter(
            title: "The Lamp Stays Lit",
            paragraphs: [
                "In the third month the river came into the courtyard. For two days nobody crossed it, and the slips of paper lay in a "
                    + "row on the sill, each with its question, each waiting.",
                "Ilse found that she minded less than the others. Whatever had been copied for her was still in her drawer, in order, and "
                    + "a page that one has already does not need a porter.",
                "When the water went, the keeper walked along the desks and put out the lamps, one after the other, as he did every night. "
                    + "At the last desk he stopped, looked at the girl asleep on her sleeve, and at the carved fish.",
                "He let that one burn.",
            ]),
    ]
}
