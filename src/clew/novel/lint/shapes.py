"""Which Chinese characters of names look alike: the other usual slip, of the eye and of a keyboard that
goes by shape.

Pure data and one question. Two characters look alike where they share the part that names them in a
dictionary (沈波 for 沈渡, 苏葵 for 苏蔡), or are mixed up as wholes (未 and 末). The table holds
characters that names use, by that part; it need not be complete: what is missing costs a finding.
"""

from __future__ import annotations

from functools import cache
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BY_PART: Final = (
    "江河波涛浪涌沧海洋流清渊源深湛澈澄洁泽润滋沐沁泓泠沫泊洛汐汀汝沅沂沄沛泳洪洲洵津浅浩涵淇淑淮淳渔湘湖溪滢滨漠漪潇潮澜"
    "濂瀚瀛灏渡游渺湄溯漫滔漳泾渭汶沃汪沈浔浦涟涯添温湾满濯沉治活派济涣涤渐渝港渲漾澎浙泷淙漆潞澹潼",
    "芳芬芷芸芮芝芙苏苑若英苗茂茗茜茵荷莉莎莲莹菁菊菡萌萍萱葵蓉蓓蓝蔚蕊蕾薇蘅蔡葛董蒋芦苇芹茹荣莫菲葆蓁蔓蕴藏藻芊芃苒茉荀荔"
    "莘莞菱萧落葳蒙蔻蕙蕤薛蔷范",
    "林杉材村杜杞杨松枫柏柯柳栋树桂桐桃梅梓棋楠楷榆槐樱橙机权桢栩校根格桥梧棉植椿楼榕樟橘檀栖桓梢棣槿桦",
    "珍珠玲珊玫瑶瑾瑜琪琳琦琬瑞璇璋璐琛珂珏玮玥珩珮琅理琢琰瑄瑛瑗璃璟玖现瑚环珀琴",
    "妍妙妮姗姣姝娜娟娥婉婕婷媛嫣嫦婵婧娴娅娇如好",
    "伟伦仁仪任伊伯佳佩侠俊信倩修健偲傲儒仲伍休佑作依侃俏俐倚倬傅仕仙代俭佟何",
    "叶吟咏哈唤喻嘻啸鸣",
    "忆怀怡恒恬悦情惜愉慎憬怿恺悌悟惟愔忱忻怜恪慷懂",
    "扬振拓挺捷提揽抒拂指挥掬援",
    "明昕晓晴晖暖曦昭晗晔映时昉昀晚晤暄曙曜旸昳晞",
    "昊昌星晨晏景昱晟旻昂昆",
    "安宁宇守宏宋完宗定宜宛宝实宣宫家容宸富寒寅宽宾密寂",
    "雪雯霖霏露霜霞霓雷震霁霄雾",
    "笛筠简箫篱符笙策筱管箴竺",
    "钟钧铭锋锐锦镇铎铮钦钢铁银锡镜键铠钰铃锴钊镕",
    "红纯纪纬纶绍经绮维综绣结绪绫绢练",
    "诗诚谨谦语谊诺论议许谋谢谭谅",
    "灿炜烁焕煜炫烨烽煌熠炳炬炼",
    "杰烈焘照熙熊然煦",
    "峰峻岭崎屿岐峥嵘峭嵋",
    "岩岚崇崔岑嵩巍岸",
    "城坤培坦垣堪境塘均坊",
    "阳阴陵陆陈隆陶际",
    "郁郑郭邓邵郎邦郝邹",
    "秋程积科稼穆稻种",
    "迪逸远达迅进通逍遥遇遨邀迎逐道遵",
    "骏驰骁骥驹骆骐",
    "鹏鸿鹤鸥鹃鹰鸽鹂",
    "志念思恩慧慈惠忠意愿悠恕懋",
    "征德徽徐彻律",
    "颖顺颜颂项顾颐",
)  # fmt: skip
_AS_WHOLES: Final = (
    "未末", "己已巳", "士土", "干千于", "大太天夭", "王玉主", "午牛", "田由甲申", "戊戌戍", "侯候", "冶治",
    "季李", "今令", "风凤", "鸟乌", "母毋", "亨享", "苏芬", "杨扬", "陈阵", "徒徙", "暖暧", "崇祟", "衷哀",
    "孤狐弧", "材村", "楷揩", "晴睛", "崔雀", "元无", "开井", "丰韦", "沐沭", "汩汨", "泠冷", "洒酒", "炙灸",
    "日曰", "木本术", "力刀", "方万", "贝见", "白自百", "石右", "古右", "兵乒", "晓哓", "竞竟", "商啇", "宁宇",
    "文丈", "久夂", "云去", "尹伊", "丹舟", "卫卩", "甘廿", "卓桌", "坚竖", "茶荼", "鸣呜", "朗郎", "柱桂", "埔浦",
)  # fmt: skip
WORDS: Final = _words(
    "江流 江海 江湖 江波 江涛 江浪 江河 海浪 白浪 白波 白沙 白雪 白雾 白霜 白露 黄沙 黄河 黄泥 金银 金铃 金钟 金锁 "
    "石岩 花蕊 花草 林木 林松 林村 云雾 云霞 雷霆 雪霜 高峰 高岭 高楼 山岩 温泉 温润 清流 叶落 苗茂 杨柳 杨桃 杨梅 "
    "柳林 梅林 桂林 安宁 安家 安定 宋词 时节 明晚 明时 方才 方时 石城 石塘 池塘 江城 金城 古城 安城 马铃 马达"
)
"""What stands for no name, however much it looks like one."""


def look_alike(one: str, other: str) -> bool:
    """Whether two characters are taken for each other by the eye."""
    known = _groups()
    return not known.get(one, frozenset()).isdisjoint(known.get(other, ()))


@cache
def _groups() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, chars in enumerate((*_BY_PART, *_AS_WHOLES)):
        for char in chars:
            found.setdefault(char, set()).add(number)
    return {char: frozenset(numbers) for char, numbers in found.items()}
