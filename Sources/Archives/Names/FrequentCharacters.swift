/// Characters that are frequent in names of chapters and pages, used to distinguish encodings.
enum FrequentCharacters {
    /// Chinese and Japanese characters, and Korean syllables: numbers and parts of books first, then words of titles.
    static let ideographs = set(
        """
        第一二三四五六七八九十百千万萬上下中大小全新前后後内內外完終终结結本章话話回卷巻集部册冊节節篇編编番特別别表紙纸扉页頁封面底絵絵画畫漫\
        序言引子尾声聲附录錄録目次索版权權信息译譯者作简簡介绍紹致谢謝参參考说說説书書記记传傳伝后記最単單行首语語文字典经經史选選社化词詞图圖片照
        人天地王子女男神仙魔鬼怪剑劍剣龙龍竜风風云雲雷火水山海江湖河花草月星日夜年时時春夏秋冬东東西南北京战戰戦国國世界城市都家族父母兄弟姐妹夫妻\
        朋友老師师生死爱愛恋戀情心手道武侠俠校学學園园少物帝皇后公宮宫官兵医醫梦夢红紅白黑黒青赤金銀银鋼錬術球流浪体體英雄古今探偵侦進撃巨
        的了是在不我有他她它这這个個们們来來到为為和出也得里裡自以会會可过過之用成于主无無法明长長间間头頭门門动動开開方事分关關名品电電影音乐樂
        제장화권편부회의이가는을를에서다고하지그리나사아자기도로인일시대한정수상소전여동보마해연작무비오주어구라조신선생물공원강성영유진실세미천안우방문현만국당개\
        음식스트드르크타파판표호완외특별최종단행본책사랑노래목차록서머말맺글쓴옮긴감권저역출발년월화토금루볼슬램덩
        """)

    /// Accented letters of western and central Europe.
    static let accents = set("éèêëàâäáçñöôóüùúîïíåæøßãõœÉÈÀÄÖÜÅØÇŒÁÓÚÍąćęłńśźżčďěňřšťůžőűĄĆĘŁŃŚŹŻČĎŘŠŤŽ")

    /// The most frequent Russian and Greek letters.
    static let letters = set("оеаинтсрвлкОЕАИНТСРВЛКαοιετσνηυρπκμλωςάέήίόύώΑΟΙΕΤΣΝΗΡΠΚΜΛ")

    /// Punctuation and symbols in names.
    static let signs = set("«»“”‘’–—…°№·¿¡\u{A0}")

    private static func set(_ text: String) -> Set<Unicode.Scalar> { Set(text.unicodeScalars.filter { !$0.isASCII }) }
}
