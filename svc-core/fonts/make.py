"""Makes the fonts of printed documents from Inter: a repertoire of its glyphs, digits of one width."""
import sys
from fontTools import subset
from fontTools.ttLib import TTFont

RANGES = "20-7E,A0-24F,2B0-2FF,300-36F,370-3FF,400-52F,1E00-1EFF,2000-206F,2070-209F,20A0-20CF,2100-218F,2190-21FF,2200-22FF,2300-23FF,2460-24FF,25A0-25FF,2600-27BF,FB00-FB06,FFFD"

for source, target in zip(sys.argv[1::2], sys.argv[2::2]):
    font = TTFont(source)
    digits = {}
    for feature in font["GSUB"].table.FeatureList.FeatureRecord:
        if feature.FeatureTag == "tnum":
            for index in feature.Feature.LookupListIndex:
                for table in font["GSUB"].table.LookupList.Lookup[index].SubTable:
                    digits.update(getattr(table, "ExtSubTable", table).mapping)
    for table in font["cmap"].tables:
        if table.isUnicode():
            for code, glyph in table.cmap.items():
                if 0x20 <= code <= 0x7E:
                    table.cmap[code] = digits.get(glyph, glyph)
    wanted = [code for part in RANGES.split(",") for first, _, last in [part.partition("-")]
              for code in range(int(first, 16), int(last or first, 16) + 1)]
    options = subset.Options(layout_features=[], hinting=False, name_IDs=[0, 1, 2, 4, 5, 6, 13, 14], notdef_outline=True,
                             glyph_names=False, desubroutinize=False, drop_tables=["GSUB", "GPOS", "GDEF", "STAT", "DSIG"])
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=wanted)
    subsetter.subset(font)
    font.save(target)
