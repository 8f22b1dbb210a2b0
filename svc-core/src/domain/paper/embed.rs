//! Writes the fonts of a document into its PDF: of each, the glyphs that the document uses.

use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish as _, Name, Pdf, Rect, Ref, Str};
use subsetter::subset;
use ttf_parser::{GlyphId, RawFace, Tag, name_id};

use super::typesetter::UsedFont;

/// The compression level of content: 6 takes three times as long and saves a tenth.
pub(super) const COMPRESSION: u8 = 4;
const CFF: Tag = Tag::from_bytes(b"CFF ");
const IDENTITY: SystemInfo<'_> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Writes a font under the id `font`; returns the next free id. A font that cannot be reduced to
/// its used glyphs is not embedded.
pub(super) fn write(pdf: &mut Pdf, place: usize, font: Ref, used: &UsedFont<'_>) -> Ref {
    let [cid, descriptor, unicode, file, next] = [1, 2, 3, 4, 5].map(|step| Ref::new(font.get() + step));
    let name = name(place, used);
    let face = &used.face;
    let scale = 1_000.0 / f32::from(face.units_per_em());
    let is_cff = face.raw_face().table(CFF).is_some();
    pdf.type0_font(font)
        .base_font(Name(name.as_bytes()))
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(cid)
        .to_unicode(unicode);
    let mut descendant = pdf.cid_font(cid);
    descendant.subtype(if is_cff { CidFontType::Type0 } else { CidFontType::Type2 });
    descendant.base_font(Name(name.as_bytes())).system_info(IDENTITY).font_descriptor(descriptor);
    if !is_cff {
        descendant.cid_to_gid_map_predefined(Name(b"Identity"));
    }
    let widths = used
        .glyphs
        .remapped_gids()
        .map(|id| face.glyph_hor_advance(GlyphId(id)).map_or(0.0, |width| f32::from(width) * scale));
    descendant.default_width(0.0).widths().consecutive(0, widths);
    descendant.finish();
    let bbox = face.global_bounding_box();
    let mut about = pdf.font_descriptor(descriptor);
    about.name(Name(name.as_bytes())).flags(FontFlags::SYMBOLIC).bbox(Rect::new(
        f32::from(bbox.x_min) * scale,
        f32::from(bbox.y_min) * scale,
        f32::from(bbox.x_max) * scale,
        f32::from(bbox.y_max) * scale,
    ));
    about.italic_angle(0.0).ascent(f32::from(face.ascender()) * scale).descent(f32::from(face.descender()) * scale);
    about.cap_height(face.capital_height().map_or(700.0, |height| f32::from(height) * scale)).stem_v(90.0);
    let data = subset(used.file, 0, &used.glyphs).ok();
    if data.is_some() {
        if is_cff {
            about.font_file3(file)
        } else {
            about.font_file2(file)
        };
    }
    about.finish();
    if let Some(data) = data {
        write_file(pdf, file, is_cff, &data);
    }
    let mut letters = UnicodeCmap::new(Name(b"Custom"), IDENTITY);
    for (id, letter) in (1_u16..).zip(&used.letters) {
        letters.pair(id, *letter);
    }
    let letters = compress_to_vec_zlib(letters.finish().as_slice(), COMPRESSION);
    pdf.cmap(unicode, &letters).name(Name(b"Custom")).system_info(IDENTITY).filter(Filter::FlateDecode);
    next
}

/// Writes the program of a font: a bare CFF table, or the TrueType font.
fn write_file(pdf: &mut Pdf, file: Ref, is_cff: bool, data: &[u8]) {
    let table = RawFace::parse(data, 0).ok().and_then(|font| font.table(CFF));
    let program = table.filter(|_| is_cff).unwrap_or(data);
    let packed = compress_to_vec_zlib(program, COMPRESSION);
    let mut stream = pdf.stream(file, &packed);
    stream.filter(Filter::FlateDecode);
    if is_cff {
        stream.pair(Name(b"Subtype"), Name(b"CIDFontType0C"));
    }
}

/// A name that no other font of the document has.
fn name(place: usize, used: &UsedFont<'_>) -> String {
    let own = |name: ttf_parser::name::Name<'_>| (name.name_id == name_id::POST_SCRIPT_NAME).then(|| name.to_string());
    let found = used.face.names().into_iter().find_map(|name| own(name).flatten());
    let plain: String = found.unwrap_or_default().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let tag: String = [b'S', b'V', b'C', b'A', b'A', b'A' + (place % 26) as u8].map(char::from).into_iter().collect();
    format!("{tag}+{}", if plain.is_empty() { "Font" } else { &plain })
}
