"""Words by which a text shows somebody acting here and now, and words that say it was elsewhere.

Pure data. The lists lean to silence: an action that is missing costs a finding, a word of memory
that is missing costs a wrong one.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROLES: Final = _words(
    "东家 掌柜 老板 老板娘 师父 师傅 师尊 师兄 师姐 师弟 师妹 师叔 师伯 师祖 爹 娘 爸 妈 爹爹 "
    "爸爸 妈妈 父亲 母亲 爷爷 奶奶 外公 外婆 哥哥 姐姐 弟弟 妹妹 大哥 二哥 三哥 大姐 二姐 叔叔 "
    "伯伯 姑姑 舅舅 老大 老二 老三 将军 元帅 大帅 少帅 大人 老爷 太太 夫人 小姐 少爷 公子 陛下 "
    "皇上 皇帝 太子 殿下 王爷 娘娘 皇后 掌门 宗主 门主 帮主 堂主 教主 长老 族长 村长 镇长 县长 "
    "县令 知府 知县 局长 处长 科长 队长 组长 班长 排长 连长 营长 团长 旅长 师长 军长 司令 主任 "
    "经理 总裁 董事长 老师 校长 教授 医生 大夫 护士 司机 巡官 捕头 管家 老头 老头子 老太太 老人 "
    "先生 丈夫 妻子 老公 老婆 father mother dad mum mom brother sister uncle aunt captain doctor "
    "king queen prince princess emperor boss sir master chief colonel major general sergeant "
    "inspector professor teacher grandfather grandmother husband wife mayor judge 船长 店长 市长 "
    "省长 院长 所长 站长 会长 社长 部长 首长 团座 道长 方丈 住持 车夫 船夫 渔夫 农夫 屠夫 老乡 "
    "同志 老兄 兄弟"
)

OWN: Final = _words(
    "师父 师傅 师尊 师兄 师姐 师弟 师妹 师叔 师伯 师祖 爹 娘 爸 妈 爹爹 爸爸 妈妈 父亲 母亲 爷爷 奶奶 外公 外婆 "
    "哥哥 姐姐 弟弟 妹妹 大哥 二哥 三哥 大姐 二姐 叔叔 伯伯 姑姑 舅舅 丈夫 妻子 老公 老婆 father mother dad mum mom "
    "brother sister uncle aunt grandfather grandmother husband wife"
)
"""Of these roles the ones that do not pass on to the next man at once, as a shop or a throne does."""

# ---- Chinese -------------------------------------------------------------------------------------

SPEECH_ZH: Final = (
    "说道|问道|答道|笑道|喊道|叫道|骂道|叹道|回道|接道|应道|嚷道|劝道|喝道|怒道|哭道|吼道|低声道|"
    "沉声道|轻声道|冷声道|开口道|开口说|开口|插嘴|接口|接话|回答|说|道|问|答|喊|嚷|骂|劝|叹|應道|"
    "說道|問道|說|問"
)
"""Verbs of speech. They count beside quoted speech only."""

NOT_SPEECH_ZH: Final = "过|的|得|起|到|破|明|话|服|是|歉|路|理|别|教|候|好|了算|不定|不准|不得"
"""What after a verb of speech makes it another word, or a report: 说过, 说起, 道路."""

_BODY_ZH: Final = (
    "站起|站了起来|站直|站住|起身|直起身|坐下|坐了下|坐直|坐起|蹲下|蹲了|跪下|跪了下|躺下|转过|"
    "转身|转头|背过身|回过|回头|扭头|扭过|抬起|抬头|抬手|抬眼|低下|低头|垂下|点了点头|点点头|"
    "点了一下头|点头|摇了摇头|摇摇头|摇头|摆了摆手|摆摆手|摆手|招了招手|招招手|招手|挥了挥手|"
    "挥挥手|挥手|拱了拱手|拱拱手|拱手|弯下腰|弯腰|欠身|欠了欠身|耸了耸肩|耸耸肩|皱了皱眉|皱起眉|"
    "皱眉|挑了挑眉|眯起|眨了眨眼|闭上眼|睁开眼|愣住|愣了|怔住|怔了|呆住|一愣|一怔|吓了一跳|咳了|"
    "咳嗽|叹了口气|叹了一口气|叹气|舒了口气|松了口气|松了一口气|笑了|笑起来|笑着|苦笑|冷笑|微笑|"
    "大笑|哈哈|嘿嘿|哼了|哭了起来|脸色一|脸上一|沉默了|沉默片刻|顿了顿|顿了一下|迟疑了|犹豫了|"
    "没有答话|没有说话|没有回答|没有作声|没有应声|没有接话|没有回头|没有抬头|没有动|没说话|"
    "没吭声|没作声|没答话|没回头|没抬头|不说话|不吭声|不作声|不答话|一声不吭|听完|听罢|闻言"
)
_MOVE_ZH: Final = (
    "走进|走过|走到|走出|走来|走上|走下|走回|走了进|走了过|走了出|走了下|跑进|跑过|跑下|跑到|跑出|跑来|跑了进|"
    "跑了过|跑了出|冲进|冲过|冲上|冲出|冲到|冲了|扑过|扑上|扑到|扑了|退后|后退|退到|上前|迈步|"
    "迈进|跨进|跨过|闯进|闯了进|闪身|钻进|钻出|钻了|爬上|爬起|爬了|跳上|跳下|跳起|跳了|翻身|翻过|"
    "推门|推开门|推开|拉开|打开|关上|掀开|掀起|撩起|进来|进了门|进门|进了屋|进屋|出来了|过来|"
    "赶来|赶到|追上|追到|追了|拦住|挡住|挡在|拉住|扯住|扶住|抱住|抱起|抓住|抓起|一把抓|一把拉|"
    "一把推|一把将|攥住|攥紧|握住|握紧|捏住|拍了拍|拍拍|拍了一下|拍着|递过|递给|递上|递来|接过|"
    "接了过|接住|拿起|拿出|拿过|放下|搁下|掏出|摸出|取出|取下|抽出|拔出|端起|端着|端来|举起|举着|"
    "提着|扛起|捡起|拾起|捧起|捧着|抄起|抡起|伸手|伸出|伸过|伸了|指了指|指着|擦了擦|擦擦|摸了摸|"
    "揉了揉|揉揉|搓了搓|看了看|看了一眼|看了他|看了她|看了我|看看|看着|望着|望了|盯着|瞪了|瞪着|"
    "瞥了|扫了一眼|打量|凑过|凑到|凑近|靠在|倚在|倚着|站在|坐在|蹲在|立在|倒了一|倒了杯|喝了一|"
    "喝了口|抿了|咬了|咽了|吐了|按住|按着|松开|甩开|甩了|扔下|扔给|扔过|丢下|塞给|塞进|戴上|摘下|"
    "脱下|披上|解下|系上|点上|点了一|点了支|点了根|敲了敲|敲了|踢了|踹了|砸了|撕了|收起|收回|"
    "拔腿|转了个|打断|扬起|扬了扬|侧过|侧身|俯身|俯下|探出|探身|缩回|缩了|挤进|挤出|挤过|蹬上|"
    "跟上|跟了上|跟在|迎上|迎了上"
)
_HANDLE_ZH: Final = (
    "(?:把|将)[^，。！？；：\\n]{1,14}?(?:放下|放在|放到|放回|递给|递到|递过|推到|推开|推过|拉开|"
    "拉上|塞进|塞到|扔|丢|搁|按在|按住|举|摘|插进|插回|拢|合上|抱起|抱在|扶|扯|拽|挂|端|摆|折|撕|"
    "扣在|拨|敲|砸|揣|抽|掏|翻|揭|拧|戴|脱|披|吹|拍|抹|擦|夹|取下|取出|盛|舀|洗)"
)
_STATE_ZH: Final = (
    "[撑等抽划摇拎挑推扛牵骑拿握捏捂缩仰歪垂眯低咧叼吃喝哼唱数擦洗补切剥嚼敲捧托抹揉搓翻写磨]着|"
    "正在|候在|守在|等在|等[他她我你]|醒来|醒了过来|回来了(?=[，。！])|来了(?=[，。！])|"
    "到了(?=[，。！])|来到|出现在|又出现|现身|走了过来|走了进来|沉着脸|红着脸|抽了口|吸了口"
)
ACTS_ZH: Final = f"{_BODY_ZH}|{_MOVE_ZH}|{_HANDLE_ZH}|{_STATE_ZH}"
"""Short physical actions, which narrative of the moment tells and summaries do not."""

GOES_ON_ZH: Final = (
    "(?!死|已|是|曾|生前|在世|当年|当初|从前|那|这|和|与|跟|同|的|之|也是|不是|就是|不在|要是|如果|们|家|[过]世|以为|不会|不知|"
    "想必|大概|也许|可能|会|能|该)[\u3400-\u9fff]"
)
"""What goes on after a subject that does something now."""

THERE_ZH: Final = (
    "(?:站|坐|蹲)着(?:的(?:正|就)?是)?|"
    "(?:走|跑|冲|钻|闪|跳|爬|挤|迎|跌|扑|进|出)[了进出过上下]*来了?(?:的(?:正|就)?是)?"
)
"""What stands between a place and whoever is there: 门外站着, 屋里走出来了."""

ELSEWHERE_ZH: Final = "[不没未无像似如仿画照相碑梦戏台书信棺坟墓魂影幕镜想记替给对把被将让叫]"
"""Where one of these stands before it, nobody is there, or only in a picture; or the clause is about
somebody else."""

LOOKS_ZH: Final = "[浑满一]身|满脸|[披提拄穿戴抱背扛挑]着|[湿醉]"
"""How what stands before a name with 的 begins, where it says how somebody looks now."""

WRITES_ZH: Final = "写题批刻注记载"
"""Before a colon these say that what follows was written, not spoken."""

LEADS_ZH: Final = (
    "只见|就见|却见|但见|这时|此时|这时候|忽然|忽地|突然|猛地|于是|接着|随后|随即|片刻后|过了一会儿?|不一会儿?|一旁的|旁边的|"
    "身后的|身旁的|身边的|门口的|对面的|床上的|屋里的|但是|但|可是|可|而|只是|不料|谁知"
)
"""What may stand before the subject of a clause."""

BETWEEN_ZH: Final = (
    "低声|轻声|小声|大声|高声|沉声|柔声|厉声|冷冷地?|淡淡地?|缓缓地?|慢慢地?|轻轻地?|狠狠地?|"
    "急忙|连忙|赶紧|赶忙|立刻|立即|随即|继续|忽然|突然|终于|猛地|默默地?|静静地?|悄悄地?|笑着|"
    "哭着|接着|跟着|一边|一面|正要|正在|正|已经|已|又|也|便|就|才|却|还|都|忙|再|只|先|这才|于是|"
    "只是|仍旧|仍然|仍|依旧|依然|一下子?|一步|两步|几步|也不|从[^，。！？；：\\n]{1,10}?|"
    "在[^，。！？；：\\n]{1,10}?|朝[^，。！？；：\\n]{1,6}?|向[^，。！？；：\\n]{1,6}?|"
    "对[^，。！？；：\\n]{1,6}?|冲[^，。！？；：\\n]{1,4}?|伸左手|伸右手|用[^，。！？；：\\n]{1,6}?"
)
"""What may stand between a subject and its verb."""

MEMORY_ZH: Final = (
    "记忆|记得|记起|想起|想到|想着|回想|回忆|忆起|忆及|追忆|往事|梦见|梦里|梦中|做梦|幻觉|幻象|恍惚|"
    "当年|那年|那时|那阵子|从前|以前|往年|往日|往常|昔日|生前|在世|活着的?时候|还在的?时候|曾|"
    "前年|去年|上个月|早年|年轻时|小时候|儿时|那天|那日|那晚|那夜|那一[天晚夜回次年日刻]|"
    "那[回次]|上一?[回次]|头一?[回年]|每次|每回|每逢|每年|每天|总是|总爱|老是|常常|时常|经常|"
    "往往|向来|一向|一贯|习惯|照片|相片|画像|遗像|遗照|灵位|灵堂|牌位|坟|墓|碑|祠|鬼魂|亡魂|灵魂|"
    "尸|遗体|遗物|遗书|传说|据说|听说|故事|戏文|信里|信上|日记|录音|录像|视频|监控|画面|屏幕|"
    "替身|冒充|假扮|扮作|扮成|易容|酷似|长得像|浮现|脑海|脑子里|心里|心中|心想|想象|多年前|年前|"
    "月前|天前|日前|之前|前世|上辈子|十[一二三四五六七八九]岁那|"
    "[廿初][一二三四五六七八九十]?那[天日晚夜]?|[一二三四五六七八九十几两百多半]年|一辈子|半辈子|"
    "这些年|的(?:样子|模样|背影|身影|声音|神情|表情|姿势|习惯|地方|位置|话|事)|也是这样|也是如此|也这样"
)
"""Where one of these stands before or beside a name, what is told may have been at another time."""

RECALL_ZH: Final = (
    "想起|记起|记得|回想|回忆|忆起|往事|梦见|梦里|梦中|那年|当年|多年前|"
    "[一二三四五六七八九十两几百]年前|[两三几十]{1,4}个?月前|小时候|那时候|从前"
)
"""What opens a memory that the next paragraphs may go on with."""

TELLS_ZH: Final = (
    "(?:想起|记起|忆起|想到|讲起|说起|谈起|提起|回到)[^。！？]{0,14}(?:那[年回次天晚夜]|那一年|从前|当年|往事|小时候|年前)|"
    "(?:那年|那一年|往事|从前)[^。！？]{0,10}(?:涌|浮上|浮现|历历)|"
    "^\\s*那(?:一)?年[^。！？]{0,2}(?:[春夏秋冬]|[正腊一二三四五六七八九十]+月)"
)
"""What opens a memory that is told over several paragraphs."""

BACK_ZH: Final = (
    "睁开眼|惊醒|醒来|醒了|醒过|回过神|回神|如今|现在|眼下|此刻|眼前|说到这里|讲到这里|讲完|说完这"
)

OPENING_ZH: Final = (
    "(?:那年|那一年|当年|多年前|很多年前|许多年前|很久以前|[一二三四五六七八九十两几百]{1,8}年(?:以|"
    "之)?前|[两三几十]{1,4}个?月前|从前|小时候)"
)
"""A scene that begins so is a memory as a whole."""

UNREAL_ZH: Final = (
    "如果|若是|要是|假如|倘若|倘|哪怕|即便|即使|就算|除非|仿佛|好像|好似|似乎|像是|宛如|犹如|"
    "恨不得|万一"
)
"""Before a subject in the same sentence: not told as a fact."""

# ---- English -------------------------------------------------------------------------------------

SPEECH_EN: Final = (
    "said|says|asked|asks|answered|replied|whispered|murmured|muttered|shouted|cried|called|"
    "added|went on|continued|began|repeated|agreed|snapped|growled|laughed|admitted|insisted|"
    "demanded|told|remarked|observed|put in|broke in"
)
ACTS_EN: Final = (
    "nodd(?:ed|s)|shrugg?(?:ed|s)|smil(?:ed|es)|grinn?(?:ed|s)|laugh(?:ed|s)|sigh(?:ed|s)|"
    "frown(?:ed|s)|blink(?:ed|s)|winced|cough(?:ed|s)|turned|turns|looked (?:up|down|at|round|"
    "around|over|back)|looks up|glanced|stared|stood up|stands up|got up|gets up|got to (?:his|"
    "her)|sat (?:down|up|on|in|at|by|beside|back|there)|sits down|rose|stood (?:in|at|by|beside|"
    "on|there|near|before)|was (?:sitting|standing|waiting|leaning|holding|looking|smiling|"
    "reading|writing|walking|coming|pouring|watching)|appeared|arrived|lean(?:ed|s)|stepp?(?:ed|"
    "s)|walk(?:ed|s) (?:in|out|over|up|down|across|to|into|past|back|through|along|away|toward)|"
    "came (?:in|up|out|over|down|back|through|into|along|round|around|across|home|to the)|"
    "comes in|ran|crossed|entered|enters|opened|opens|closed|shut the|pick(?:ed|s) up|"
    "put (?:down|on|his|her|the|a|out|away|\\w+ (?:on|in|into|back))|took (?:off|out|up|down|the|"
    "a|his|her|hold)|held (?:up|out|on)|handed|reached|pull(?:ed|s)|push(?:ed|es)|point(?:ed|s)|"
    "waved|waves|shook|bent|knelt|raised|lifted|lowered|paused|hesitated|went (?:to|over|out|in|"
    "up|down|back)|laid|folded|drew|poured|struck|threw|dropped|caught|grabbed|seized|"
    "gave (?:him|her|them|a)|wiped|rubbed|scratched|climbed|jumped|slammed|knocked|kissed|hugged|"
    "touched|tapped|set (?:down|the|his|her)|cleared (?:his|her)|said nothing|was (?:there|"
    "at the (?:door|window|table|stove|desk))"
)
GOES_ON_EN: Final = (
    r"(?!\s+(?:was|is|had|has|would|will|might|may|must|could|should|never|always|and|or|of|himself|herself|"
    r"did not|does not|didn|doesn)\b)\s+[a-z]+(?:ed|s|ew|an|aid|ent|ook|ut|ame|ood|at|ore|ought|old|elt|un)\b"
)
"""What goes on after a subject that does something now."""

LEADS_EN: Final = "Then|Now|But|And|So|Suddenly|Presently|At last|Finally|Just then|Slowly|Quietly"
LOOKS_EN: Final = "(?:the )?(?:old|poor|young|little|dear|big|tall|good)"
PLACE_EN: Final = (
    "in|at|on|by|behind|beside|under|outside|inside|there|before|beyond|across|through"
)
THERE_EN: Final = "stood|sat|came|waited|knelt|leaned|crouched|stepped|walked"
BETWEEN_EN: Final = (
    "only|just|slowly|quietly|suddenly|then|at last|finally|still|also|simply|gently|softly|\\w+ly"
)
MEMORY_EN: Final = (
    "had|would|used to|could have|might have|must have|once|ago|earlier|that (?:night|day|time|"
    "evening|afternoon)|last (?:night|week|month|year|spring|summer|autumn|winter)|"
    "the night before|imagin\\w*|ghost|spirit|grave|tomb|portrait|photograph|picture|letter|diary|"
    "recording|video|story|stories|tale|always|every (?:time|day|night|morning|year)|often|never|"
    "sometimes|thought of|in (?:his|her|my) mind"
)
"""In the same sentence: it may have been at another time."""
RECALL_EN: Final = (
    "remember(?:ed|s|ing)?|recall(?:ed|s|ing)?|recollect(?:ed|s|ion)?|dream(?:ed|t|s|ing)?|memory|memories|"
    "years? (?:ago|before|earlier)|in those days|as a (?:boy|girl|child)|that (?:winter|summer|spring|autumn|year)"
)
"""In the same paragraph, and over those that go on with it."""
TELLS_EN: Final = (
    "(?:remember(?:ed|ing)?|thought of|recalled|told (?:them|him|her|me) (?:about|of)) (?:the|that) "
    "(?:\\w+ ){0,2}(?:night|day|time|year|winter|summer|spring|autumn)|"
    "the (?:winter|summer|spring|autumn|year) (?:he|she|they|I|we|of)"
)
BACK_EN: Final = "woke|awoke|now|opened (?:his|her|my) eyes|a (?:week|month|year) ago|came back to (?:himself|herself)"
OPENING_EN: Final = (
    r"(?:\w+ ){0,3}(?:years?|months?|weeks?|winters?|summers?) (?:ago|before|earlier)|long ago|in those days|"
    r"that (?:winter|summer|spring|autumn|year)\b|once upon"
)
"""A scene that begins so is a memory as a whole."""
UNREAL_EN: Final = "if|unless|as if|as though|suppose|supposing|wished|until|perhaps|maybe"

PERSON_EN: Final = (
    "mr|mrs|ms|miss|dr|doctor|captain|sir|lady|lord|uncle|aunt|father|mother|sister|brother"
)

# ---- not meant as a break ------------------------------------------------------------------------

MEANT: Final = (
    "回忆|倒叙|闪回|插叙|追叙|往事|追忆|追述|忆|前传|番外|梦|前世|过去|支线|平行|同时|同日|另一边|"
    "(?i:flash-?back|memor(?:y|ies)|remember|recollect|prequel|interlude|earlier|dream|parallel|"
    "meanwhile|back ?story|\\bago\\b|the past)"
)
"""In a chapter's story time, scene or title: the author means it to be out of order."""
