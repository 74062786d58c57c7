"""Words by which names are told from other text: surnames, verbs of speech, everyday words.

Pure data, used by `manuscript`. The lists need not be complete: a missing surname costs a name that
never speaks, a missing everyday word costs one candidate that the author passes over.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SURNAMES: Final = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章苏潘葛奚范彭"
    "郎鲁韦昌马苗凤方俞任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安乐傅皮卞齐康伍余卜顾孟黄穆萧肖"
    "尹姚邵湛汪祁毛禹狄米贝臧计戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻贾路娄江童颜郭梅盛林刁钟徐"
    "邱骆高夏蔡田樊胡凌霍虞万柯昝管卢莫房裘缪解宗丁宣邓郁杭洪包诸左石崔吉钮龚程嵇邢裴陆荣翁荀甄曲"
    "封芮储靳汲段巫乌焦巴牧隗侯宓班仲伊宫宁仇栾甘厉祖武符刘景詹龙叶黎白蒲赖卓蔺屠蒙池乔翟谭申冉宰"
    "桑桂牛燕尚温庄晏柴瞿阎慕茹习艾古易廖耿匡文寇聂晁敖冷辛阚简饶曾沙丘关荆游竺权佟佘岳阳谷车涂付"
    "趙錢孫鄭馮陳衛蔣韓楊許呂張嚴華謝蘇魯韋馬費賀湯羅畢鄔齊顧黃蕭談龐紀項閔賈婁顏鍾駱萬盧莊閻聶龔"
    "劉葉賴喬譚寧關游簡饒歐陸榮"
)  # fmt: skip
COMPOUND_SURNAMES: Final = _words(
    "欧阳 司马 上官 诸葛 夏侯 东方 皇甫 尉迟 公孙 慕容 令狐 宇文 长孙 司徒 司空 南宫 西门 独孤 轩辕 "
    "端木 百里 东郭 呼延 歐陽 司馬 諸葛 東方 尉遲 公孫 長孫 南宮 西門 獨孤 軒轅"
)  # fmt: skip
SPEAKS: Final = (
    "说道", "问道", "答道", "笑道", "喊道", "叫道", "骂道", "叹道", "回道", "接道", "应道", "嚷道", "劝道",
    "开口", "说", "道", "问", "答", "喊", "嚷", "骂", "劝", "笑", "叹", "应", "说话", "回答", "發問",
    "說道", "問道", "說", "問", "喊", "應",
)  # fmt: skip
ADVERBS: Final = (
    "低声", "轻声", "小声", "大声", "高声", "沉声", "柔声", "厉声", "冷冷", "淡淡", "缓缓", "慢慢", "轻轻",
    "笑着", "笑了笑", "想了想", "哭着", "接着", "跟着", "忽然", "突然", "终于", "连忙", "赶紧", "急忙", "立刻",
    "随即", "继续", "点头", "摇头", "皱眉", "抬头", "苦笑", "微笑", "冷笑", "冷冷地", "淡淡地", "缓缓地",
    "也", "又", "便", "就", "才", "却", "还", "都", "忙", "再", "只", "先", "这才", "于是", "没有", "只是",
    "低聲", "輕聲", "接著", "笑著",
)  # fmt: skip
NOT_FIRST: Final = frozenset(
    "他她它我你您咱这那哪谁什怎自众大有没不也又就都才却还只再先后前上下里外左右东西南北一二两三四五六七八九十"
    "几每各某本此其另别全同第个人声话书信心手眼脸头身风雨但可而或若因所为从把被将让给对向跟和与在于到"
    "是说道问听看见想叫等忽突终立随连赶急点摇抬回起来去出进过如果然后接这個們後來還沒誰"
)
NOT_IN: Final = frozenset("的了着过吗呢吧啊是不我你他她它们这那什么很就也都又還沒們這個著嗎麼")
NOT_LAST: Final = frozenset(
    "说道问答喊叫叹骂劝应听看见走跑站坐躺跪来去回进出到上下起开关拿放接递推拉抓握伸抬低点摇转动停"
    "吃喝睡醒死哭怒愣怔惊怕知觉认记忘等找送带抱抚拍打把被将让给对向跟和与同在于从往朝替为因用以比按照"
    "还再只却便才已正刚忽突又也都没有未曾可能会要该敢肯愿得地里边外内中前后头旁间面子儿声色天时日年月夜"
    "人者们家个些次件张条位名号道路水山门口手脚眼脸身心话事物气力样种处所之其而且或若但如果一两三几多少"
    "大小高低长短新旧先终忙急连立仍似像不是的了着過說問"
)  # fmt: skip
NO_NAMES: Final = _words(
    "高兴 高度 高低 高声 高大 高手 高层 黄昏 黄色 黄金 黄土 白天 白色 白纸 白日 马上 马车 马路 方才 方向 方法 "
    "方便 石头 石板 石阶 金色 金黄 金属 安静 安全 安排 安慰 安心 江边 江水 江湖 林子 雷声 田里 柳树 钟声 钟头 钟楼 "
    "毛巾 毛病 路上 路边 路口 路过 严重 严肃 温和 温柔 温暖 温度 程度 任何 任务 许多 许久 何况 何必 何时 何处 何人 "
    "顾不 顾不得 曾经 习惯 尚未 章程 纪念 万一 万分 祝福 项目 易如 古怪 古老 解释 解开 解决 包袱 包括 包裹 包围 管事 "
    "管家 钱财 米饭 冷静 冷笑 冷冷 冷气 简直 简单 关于 关系 关上 关键 关心 文字 文书 文件 武器 武功 武功 叶子 龙头 "
    "计划 计算 谈话 谈论 舒服 熊熊 项链 董事 梁上 蓝色 麻烦 麻绳 盛怒 夏天 胡子 胡乱 胡同 凌晨 莫非 莫名 房间 房子 "
    "房里 房门 左手 左右 左边 吉利 曲子 封信 储物 焦急 巴掌 班上 宫里 宁可 宁静 甘心 厉害 祖父 祖母 符号 景象 景色 "
    "席上 席间 季节 童年 颜色 梅花 徐徐 余下 余光 华丽 康复 齐声 齐齐 常常 傅粉 皮肤 皮袄 皮鞋 贝壳 成为 伏在 谢谢 "
    "谢过 张开 张嘴 张口 张望 孔雀 孔洞 施展 苗头 凤凰 花白 柏油 章节 苏醒 范围 水面 史书 唐突 费力 费劲 雷电 汤水 "
    "贺喜 罗列 毕竟 毕业 安定 乐意 乐趣 卜卦 孟浪 和气 平静 平时 明白 明天 尤其 周围 周末 周到 吴侬 王爷 王府 王宫 "
    "陈旧 陈列 沈重 秦腔 朱红 朱砂 杨树 杨柳 李子 钱包 钱袋 孙子 孙女 赵字 卫生 卫兵 燕子 桑树 桂花 牛肉 尚且 庄严 "
    "庄子 柴火 柴房 阎王 车子 车站 车上 车夫 车里 阳光 谷子 谷口 权力 权利 游戏 沙子 沙发 沙沙 沙哑 付出 付钱 涂抹 "
    "简短 易碎 池塘 池边 乔装 申时 宰相 温热 晏子 茹素 艾草 巫师 乌黑 乌云 牧民 侯爷 伊人 仇人 仇恨 段时间 段路 "
    "封皮 甄别 荣幸 陆续 陆地 崔嵬 龚行 洪水 洪亮 丁点 宣布 邓小 郁闷 房东 房顶 管子 卢沟 柯南 虞美 霍然 樊笼 蔡京 "
    "骆驼 童子 江面 江心 江岸 郭外 林间 林中 林外 梅雨 刁钻 钟点 徐州 邱比 齐整 齐刷刷 文工团 高价 高处 高墙 "
    "老人 男人 女人 众人 有人 那人 来人 旁人 客人 别人 少年 少女 老者 老头 老太太 女孩 男孩 孩子 掌柜 伙计 店家 先生 "
    "小姐 太太 夫人 老爷 少爷 公子 姑娘 大人 将军 皇上 陛下 师父 师兄 师弟 师姐 师妹 父亲 母亲 爸爸 妈妈 爷爷 奶奶 "
    "哥哥 弟弟 姐姐 妹妹 丈夫 妻子 老板 老师 同学 医生 护士 警察 司机 对方 两人 二人 大家 自己 电话 声音"
)  # fmt: skip

ENGLISH_TITLES: Final = _words(
    "mr mrs ms miss mister dr doctor sir lady lord dame captain capt colonel major general sergeant "
    "lieutenant inspector constable professor prof father mother sister brother uncle aunt aunty "
    "king queen prince princess duke duchess count countess baron madam madame master mistress "
    "reverend rev saint st judge"
)
ENGLISH_NO_NAMES: Final = _words(
    "i monday tuesday wednesday thursday friday saturday sunday january february march april may june "
    "july august september october november december english french german spanish latin greek chinese "
    "american british god christmas easter chapter part book volume the a an and but or if it he she "
    "they we you his her their our my your this that these those there then now what when where who why "
    "how no yes not oh ah well o'clock ok okay"
)
