//! Values as parameters, and columns as values.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use rust_decimal::Decimal;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgHasArrayType, Postgres};
use sqlx::{Decode, Encode, Type};
use svc_core::domain::company::CompanyId;
use svc_core::domain::event::EventId;
use svc_core::domain::money::Money;
use svc_core::domain::quantity::{Balance, Quantity, Rate};
use svc_core::domain::tax::TaxRate;
use svc_core::domain::time::{Date, Timestamp};
use svc_core::domain::words::Word;
use uuid::Uuid;

/// A value that can be bound. `How` only distinguishes implementations, and is always inferred.
pub(crate) trait Parameter<'q, How> {
    /// The type that the driver encodes.
    type Column: Encode<'q, Postgres> + Type<Postgres> + 'q;

    fn column(&'q self) -> Self::Column;
}

/// A value that can be read from a column. `How` only distinguishes implementations, and is always
/// inferred.
pub(crate) trait FromColumn<'r, How>: Sized {
    /// The type that the driver decodes.
    type Column: Decode<'r, Postgres> + Type<Postgres>;

    fn from_column(column: Self::Column) -> Result<Self, BoxDynError>;
}

pub(crate) struct AsItIs;
pub(crate) struct ByConversion;
pub(crate) struct AsWord;
pub(crate) struct AsArray<How>(How);
pub(crate) struct Nullable<How>(How);
pub(crate) struct Referred<How>(How);

/// Types that the driver knows, each stated once for both directions.
macro_rules! as_they_are {
    ($($type:ty),* $(,)?) => {$(
        impl Parameter<'_, AsItIs> for $type {
            type Column = Self;

            fn column(&self) -> Self {
                self.clone()
            }
        }

        impl FromColumn<'_, AsItIs> for $type {
            type Column = Self;

            fn from_column(column: Self) -> Result<Self, BoxDynError> {
                Ok(column)
            }
        }
    )*};
}

as_they_are!(bool, i16, i32, i64, Decimal, NaiveDate, DateTime<Utc>, Uuid, [u8; 32]);

/// An `interval`.
impl Parameter<'_, AsItIs> for TimeDelta {
    type Column = Self;

    fn column(&self) -> Self {
        *self
    }
}

/// The domain's types, converted to types that the driver knows and back.
macro_rules! converted {
    ($($type:ty as $column:ty: $from:expr, $to:expr;)*) => {$(
        impl Parameter<'_, ByConversion> for $type {
            type Column = $column;

            fn column(&self) -> $column {
                $to(self)
            }
        }

        impl FromColumn<'_, ByConversion> for $type {
            type Column = $column;

            fn from_column(column: $column) -> Result<Self, BoxDynError> {
                Ok($from(column))
            }
        }
    )*};
}

converted! {
    Balance as Decimal: Balance::new, |amount: &Balance| amount.get();
    CompanyId as i64: CompanyId, |id: &CompanyId| id.0;
    Date as NaiveDate: Date, |date: &Date| date.0;
    EventId as Uuid: EventId, |id: &EventId| id.0;
    Money as Decimal: Money::new, |amount: &Money| amount.get();
    Quantity as Decimal: Quantity::new, |quantity: &Quantity| quantity.get();
    Rate as Decimal: Rate::new, |rate: &Rate| rate.get();
    TaxRate as Decimal: TaxRate::new, |rate: &TaxRate| rate.get();
    Timestamp as DateTime<Utc>: Timestamp::new, |at: &Timestamp| at.get();
}

/// Texts and bytes, bound without a copy.
macro_rules! borrowed {
    ($($borrowed:ty: $($owned:ty),*;)*) => {$(
        impl<'q> Parameter<'q, AsItIs> for $borrowed {
            type Column = &'q $borrowed;

            fn column(&'q self) -> &'q $borrowed {
                self
            }
        }

        $(impl<'q> Parameter<'q, AsItIs> for $owned {
            type Column = &'q $borrowed;

            fn column(&'q self) -> &'q $borrowed {
                self
            }
        }

        impl FromColumn<'_, AsItIs> for $owned {
            type Column = Self;

            fn from_column(column: Self) -> Result<Self, BoxDynError> {
                Ok(column)
            }
        })*
    )*};
}

borrowed! {
    str: String, Box<str>;
    [u8]: Vec<u8>;
}

/// Texts and bytes borrowed from the row, for functions that convert them.
macro_rules! of_the_row {
    ($($type:ty),*) => {$(
        impl<'r> FromColumn<'r, AsItIs> for &'r $type {
            type Column = Self;

            fn from_column(column: Self) -> Result<Self, BoxDynError> {
                Ok(column)
            }
        }
    )*};
}

of_the_row!(str, [u8]);

/// A count; its column's constraint excludes negative ones.
impl FromColumn<'_, ByConversion> for u32 {
    type Column = i32;

    fn from_column(column: i32) -> Result<Self, BoxDynError> {
        Ok(column.try_into()?)
    }
}

impl FromColumn<'_, ByConversion> for u64 {
    type Column = i64;

    fn from_column(column: i64) -> Result<Self, BoxDynError> {
        Ok(column.try_into()?)
    }
}

/// A word of a closed set. The column's constraint has the same set, so any other word is a fault
/// of the database.
impl<W: Word> Parameter<'_, AsWord> for W {
    type Column = &'static str;

    fn column(&self) -> &'static str {
        self.word()
    }
}

impl<'r, W: Word> FromColumn<'r, AsWord> for W {
    type Column = &'r str;

    fn from_column(column: &'r str) -> Result<Self, BoxDynError> {
        W::of(column).ok_or_else(|| format!("{column:?} is outside its closed set").into())
    }
}

impl<'q, How, T: Parameter<'q, How>> Parameter<'q, Nullable<How>> for Option<T> {
    type Column = Option<T::Column>;

    fn column(&'q self) -> Self::Column {
        self.as_ref().map(T::column)
    }
}

impl<'r, How, T: FromColumn<'r, How>> FromColumn<'r, Nullable<How>> for Option<T> {
    type Column = Option<T::Column>;

    fn from_column(column: Self::Column) -> Result<Self, BoxDynError> {
        column.map(T::from_column).transpose()
    }
}

impl<'q, How, T: Parameter<'q, How> + ?Sized> Parameter<'q, Referred<How>> for &T {
    type Column = T::Column;

    fn column(&'q self) -> Self::Column {
        (**self).column()
    }
}

impl<'q, How, T: Parameter<'q, How, Column: PgHasArrayType>> Parameter<'q, AsArray<How>> for [T] {
    type Column = Vec<T::Column>;

    fn column(&'q self) -> Self::Column {
        self.iter().map(T::column).collect()
    }
}

impl<'q, How, T: Parameter<'q, How, Column: PgHasArrayType>> Parameter<'q, AsArray<How>> for Vec<T> {
    type Column = Vec<T::Column>;

    fn column(&'q self) -> Self::Column {
        self.as_slice().column()
    }
}

impl<W: Word> FromColumn<'_, AsArray<AsWord>> for Vec<W> {
    type Column = Vec<String>;

    fn from_column(column: Vec<String>) -> Result<Self, BoxDynError> {
        column.iter().map(|word| W::from_column(word)).collect()
    }
}

impl FromColumn<'_, AsItIs> for Vec<i64> {
    type Column = Self;

    fn from_column(column: Self) -> Result<Self, BoxDynError> {
        Ok(column)
    }
}

impl FromColumn<'_, AsItIs> for Vec<String> {
    type Column = Self;

    fn from_column(column: Self) -> Result<Self, BoxDynError> {
        Ok(column)
    }
}
